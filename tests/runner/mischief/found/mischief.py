"""An agent with every kind of failure; worker processes find it like a shipped agent."""

import os
import re
import subprocess
import sys
import threading
import time
from typing import Any, Literal

from stressweb.core.errors import EndpointError, InfrastructureError
from stressweb.plugins.actions import Action
from stressweb.plugins.agent import Agent, Brief, Observation

Kind = Literal[
    "makes", "starts", "third", "none", "dict", "unchecked", "exits", "interrupts", "posing", "outage", "unreadable",
    "wants", "usage", "sleeps", "burns", "locks", "leaves", "asks", "feeds", "shouts",
]  # fmt: skip


class Unreadable(Exception):  # noqa: N818 - its name does not matter
    def __str__(self) -> str:
        raise ValueError("no message")


class Mischief(Agent):
    """Agent that fails in the chosen way."""

    name = "mischief"

    def __init__(self, *, kind: Kind = "third") -> None:
        self.kind, self.turns = kind, 0
        # The command line builds each agent once before a run.
        if kind == "makes" and threading.current_thread() is not threading.main_thread():
            raise OSError("no model file")

    def start(self, brief: Brief) -> None:
        if self.kind == "wants":
            self.wants = frozenset({"smell"})
        if self.kind == "starts":
            raise LookupError("no plan")

    def act(self, observation: Observation) -> Any:
        self.turns += 1
        if self.turns < 3 and self.kind in ("third", "sleeps"):
            return Action(kind="SCROLL")
        return getattr(self, f"do_{self.kind}")()

    def do_third(self) -> None:
        raise LookupError("no idea")

    def do_none(self) -> None:
        return None

    def do_dict(self) -> dict[str, str]:
        return {"kind": "DONE"}

    def do_unchecked(self) -> Action:
        return Action.model_construct(kind="FILL", selector=None, text=None)

    def do_exits(self) -> None:
        sys.exit(0)

    def do_interrupts(self) -> None:
        raise KeyboardInterrupt

    def do_posing(self) -> None:
        raise InfrastructureError("it was not me")

    def do_outage(self) -> None:
        raise EndpointError("no quota left")

    def do_unreadable(self) -> None:
        raise Unreadable

    def do_usage(self) -> Action:
        self.usage = None  # type: ignore[assignment]
        return Action(kind="SCROLL")

    def do_asks(self) -> None:
        raise LookupError(f"somebody typed {input()}")

    def do_feeds(self) -> None:
        taken = subprocess.run(["cat"], stdout=subprocess.PIPE, check=True).stdout
        raise LookupError(f"a child read {len(taken)} bytes")

    def do_shouts(self) -> None:
        os.write(1, b'{"finished": "none", "status": "done", "message": ""}\n')
        subprocess.run(["echo", '{"failed": "all"}'], check=True)
        print("no JSON", flush=True)
        raise LookupError("nobody listened")

    def do_sleeps(self) -> None:
        time.sleep(3600)

    def do_burns(self) -> None:
        while True:
            pass

    def do_locks(self) -> None:
        # This holds the interpreter's lock, so no other thread of the process can run.
        re.match("(a|a)*b", "a" * 64)

    def do_leaves(self) -> None:
        os._exit(7)
