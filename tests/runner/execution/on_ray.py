"""A run on a Ray cluster of three nodes on this machine, of which one is killed in the middle.

A program of its own, for the Python of an environment that has Ray: `on_ray.py FOLDER AGENTS TASKS CONDITIONS`. It
prints as JSON what was seen.
"""

import contextlib
import json
import os
import signal
import socket
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

# Before Ray is imported. It tells nobody that it is used; and, under a name that speaks of other systems, every server
# listens on loopback alone.
os.environ |= {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
    "RAY_agent_register_timeout_ms": "120000",
}

from ray.cluster_utils import Cluster

import stressweb as sw
from runner.execution.backend import Finished
from runner.execution.listener import Listener
from stressweb.core.process_tree import Member, end, family
from stressweb.log.recording import Cell

RUNNING = "ray::NodeWorker.run"
"""What Ray calls a process of its own that waits for an episode."""


def options(processors: int) -> dict[str, Any]:
    """Return the options of a node. With ports that are given a node does not wait for its agents, only 15 s long."""
    names = ("metrics_agent_port", "runtime_env_agent_port", "dashboard_agent_listen_port")
    with contextlib.ExitStack() as taken:
        servers = [taken.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in names]
        ports = {name: server.getsockname()[1] for name, server in zip(names, servers, strict=True)}
    return {"num_cpus": processors, "object_store_memory": 80_000_000, **ports}


class Killing(Listener):
    """Kills a node while every node has an episode that runs."""

    def __init__(self, cluster: Cluster, nodes: list[Any]) -> None:
        self.cluster, self.nodes = cluster, nodes
        self.began, self.told = Counter[str](), Counter[str]()
        self.running = set[str]()
        self.due = False
        self.family, self.had = set[Member](), list[str]()
        self._lock = threading.Lock()

    def started(self, cell: Cell) -> None:
        with self._lock:
            self.began[cell.key] += 1
            self.running.add(cell.key)
            due = len(self.told) >= 3 and len(self.running) >= len(self.nodes) and not self.due
            self.due = self.due or due
        if due:
            # In a thread of its own: this one is about to have the cell run.
            threading.Thread(target=self._kill, daemon=True).start()

    def finished(self, finished: Finished) -> None:
        with self._lock:
            self.told[finished.cell.key] += 1
            self.running.discard(finished.cell.key)

    def _kill(self) -> None:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            for node in self.nodes:
                below = family(node.all_processes["raylet"][0].process.pid)
                workers = [one for one in below if any("runner.execution.worker" in said for said in commands({one}))]
                # Stopped first, so that its episode does not end before its node does.
                _signal(workers, signal.SIGSTOP)
                time.sleep(0.3)
                had = commands(below)
                if RUNNING in had:
                    self.family, self.had = below, had
                    self.cluster.remove_node(node, allow_graceful=False)
                    return
                _signal(workers, signal.SIGCONT)


def _signal(members: list[Member], number: int) -> None:
    for member in members:
        with contextlib.suppress(ProcessLookupError):
            os.kill(member.pid, number)


def commands(members: set[Member]) -> list[str]:
    """Return the command lines of the processes that are alive."""
    found = []
    for member in members:
        # It may end at any time.
        with contextlib.suppress(OSError):
            said = Path(f"/proc/{member.pid}/cmdline").read_bytes()
            found.append(said.replace(b"\0", b" ").decode(errors="replace").strip())
    return [one for one in found if one]


def started(start: Callable[[], Any]) -> Any:
    """Start a part of a cluster. Ray gives it half a minute, in which a busy machine may not get it done."""
    for _ in range(4):
        before = family(os.getpid())
        try:
            return start()
        except Exception as error:
            print(f"again: {error}", file=sys.stderr)
            # What is half there would go on, and make the next try even slower.
            end(family(os.getpid()) - before)
    raise SystemExit("Ray starts no cluster on this machine")


def main() -> None:
    folder, agents, tasks, conditions = Path(sys.argv[1]), *(text.split() for text in sys.argv[2:])
    less = {"include_dashboard": False, "include_log_monitor": False, "no_monitor": True}
    cluster = started(lambda: Cluster(initialize_head=True, head_node_args={**options(0), **less}))
    try:
        nodes = [started(lambda: cluster.add_node(**options(1))) for _ in range(3)]
        listener = Killing(cluster, nodes)
        experiment = sw.Experiment(agents=agents, tasks=tasks, conditions=conditions, screenshots=False)
        sw.run(experiment, name="ray", runs_dir=folder, backend="ray", address=cluster.address, listener=listener)
        # The kernel ends what is below a dead parent, but not in no time.
        deadline = time.monotonic() + 30
        while (left := commands(listener.family)) and time.monotonic() < deadline:
            time.sleep(0.2)
        seen = {
            "began": listener.began,
            "told": listener.told,
            "had": listener.had,
            "left": left,
        }
        print(json.dumps(seen))
    finally:
        cluster.shutdown()


if __name__ == "__main__":
    main()
