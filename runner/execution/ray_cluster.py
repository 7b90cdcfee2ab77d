"""A Ray cluster as the place of a run's workers: Ray starts and ends them and carries messages.

This process alone writes the run. Ray is an extra, so this module is imported only by runs that ask for it.
"""

import contextlib
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import ray
from ray.exceptions import GetTimeoutError, RayError, RayTaskError
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from runner.execution import node
from runner.execution.backend import Finished, WorkerLost
from runner.execution.backends import Ray
from runner.execution.conversation import SILENCE_S
from runner.execution.incoming import Incoming
from runner.execution.lanes import MODELS, Lanes
from runner.execution.mission import Mission
from runner.execution.private_log import private_log
from runner.execution.worker_config import WorkerConfig
from stressweb.core.errors import InfrastructureError, UserError, first_line
from stressweb.core.words import counted
from stressweb.log.recording import Cell

EXAMINE_S = 180.0
"""Seconds that a node has to say what is installed on it: Ray starts a Python process for that, and the plan's tasks
are drawn there."""
PLACE_S = 60.0
"""Seconds after which a processor that Ray does not give is taken to be in use by others."""
PRESENT_S = 20.0
"""Seconds that a node has to answer after it lost a worker, before it is taken to be gone."""
END_S = 15.0
"""Seconds that a worker has to close its browser."""
KILL_S = 5.0
"""Seconds that a worker has to end what it started, before Ray ends it."""
_BEAT_S = 5.0
"""Seconds between two questions whether a worker is alive."""


class Member(NamedTuple):
    """A node of the cluster that has processors."""

    id: str
    name: str
    processors: int


class Cluster(Ray):
    """A Ray cluster, every node of which has what the run needs."""

    def __init__(self, mission: Mission) -> None:
        """Take what a run needs; this process is connected. Raises UserError that says which node differs, and in what.

        Nothing is given to a node that joins later.
        """
        self._mission = mission
        members = [
            Member(ray_node["NodeID"], _name(ray_node), int(ray_node["Resources"].get("CPU", 0)))
            for ray_node in ray.nodes()
            if ray_node["Alive"]
        ]
        self._members = {member.id: member for member in members if member.processors}
        if not self._members:
            raise UserError("no node of the Ray cluster has a processor; start some with `ray start --num-cpus`")
        _examine(self._members.values(), mission)
        # Places for workers: how many each node has, and how many of them are taken.
        self._places = Counter({member.id: member.processors for member in self._members.values()})
        self._taken = Counter[str]()
        self._changed = threading.Condition()
        self._incoming: Incoming | None = None
        self._in_flight = 1

    def lanes(self, workers: int | None, in_flight: int | None, *, waits: bool, own_browsers: bool = False) -> Lanes:
        """Return what is asked for, at most one worker for each processor of the cluster.

        Agents that wait for a model have as many episodes in flight as on one machine; what memory the nodes have is
        not known.
        """
        processes = min(workers or self._places.total(), self._places.total())
        self._in_flight = in_flight or (max(1, MODELS // processes) if waits else 1)
        return Lanes(processes, self._in_flight)

    def start(self, config: WorkerConfig, log: Path, wanted: Callable[[], bool]) -> "RemoteWorker | None":
        """Start a worker on the node that has the most free places."""
        with self._changed:
            self._incoming = self._incoming or Incoming(config.database)
        config = config.model_copy(update={"base_url": self._mission.base_url, "extensions": self._mission.sources})
        while (member := self._place(wanted)) is not None:
            worker = RemoteWorker(self, member, config, log, self._incoming, self._in_flight)
            with contextlib.suppress(WorkerLost):
                if worker.is_placed(wanted):
                    return worker
                if wanted():
                    # Others have this processor; to ask for it again and again would only take time.
                    with self._changed:
                        self._places[member.id] = max(0, self._places[member.id] - 1)
            worker.kill()
        return None

    def _place(self, wanted: Callable[[], bool]) -> Member | None:
        """Take a place and return its node; None when it is not wanted any more."""
        with self._changed:
            while wanted():
                free = {node_id: self._places[node_id] - self._taken[node_id] for node_id in self._members}
                best = max(free, key=lambda node_id: free[node_id])
                if free[best] > 0:
                    self._taken[best] += 1
                    return self._members[best]
                if self._places.total() <= 0:
                    reason = "the nodes are gone or their processors in use by others"
                    raise InfrastructureError(f"the Ray cluster has no place left for a worker: {reason}")
                # Not without a limit: `wanted` can change without a notification, when the last cell is done elsewhere.
                self._changed.wait(0.5)
        return None

    def release(self, member: Member, *, lost: bool) -> None:
        """Free the place of a worker that has ended; `lost`: unexpectedly, so its node may be gone."""
        gone = lost and not _answers(member)
        with self._changed:
            self._taken[member.id] -= 1
            if gone:
                self._places[member.id] = 0
            self._changed.notify_all()


def _name(about: Mapping[str, Any]) -> str:
    """Return how messages call a node: by its machine, and by its id where a machine has several."""
    return f"{about['NodeManagerHostname']} ({about['NodeID'][:8]})"


def _on(member: Member) -> NodeAffinitySchedulingStrategy:
    return NodeAffinitySchedulingStrategy(member.id, soft=False)


def _examine(members: Collection[Member], mission: Mission) -> None:
    """Raise UserError if a node has something else than this machine: its episodes would be of another kind."""
    examined = ray.remote(num_cpus=0, max_retries=0)(node.examined)
    text = mission.model_dump_json()
    # All at once, since each node takes seconds.
    pending = {member: examined.options(scheduling_strategy=_on(member)).remote(text) for member in members}
    here = node.facts(mission)
    deadline = time.monotonic() + EXAMINE_S
    wrong = []
    for member, reference in pending.items():
        try:
            node_facts = ray.get(reference, timeout=max(0.0, deadline - time.monotonic()))
            problem = node.difference(here, node_facts)
        except GetTimeoutError:
            problem = f"it did not say within {EXAMINE_S:g} seconds what is installed on it"
        except RayTaskError as error:
            # Most of all: it cannot import stressweb.
            problem = f"it cannot run this stressweb: {first_line(error.cause or error)}"
        except RayError as error:
            problem = first_line(error)
        if problem:
            wrong.append(f"node {member.name}: {problem}")
    if wrong:
        more = f" (and {counted(len(wrong) - 1, 'other node')})" if len(wrong) > 1 else ""
        cure = "install the same on every node, or leave the node out of the cluster"
        raise UserError(f"{wrong[0]}{more}; {cure}")


def _answers(member: Member) -> bool:
    """Whether a node still does what it is asked."""
    present = ray.remote(num_cpus=0, max_retries=0)(node.present)
    try:
        ray.get(present.options(scheduling_strategy=_on(member)).remote(), timeout=PRESENT_S)
    except RayError:
        return False
    return True


class RemoteWorker:
    """A worker on a node: an actor of Ray, which is the parent of a worker process there."""

    def __init__(
        self, cluster: Cluster, member: Member, config: WorkerConfig, log: Path, incoming: Incoming, in_flight: int
    ) -> None:
        """Ask Ray for it; what it prints goes to `log`, its episodes to `incoming`, so many at a time."""
        self._cluster, self._member, self._log, self._incoming = cluster, member, log, incoming
        self.spent = False
        self._there = self._lost = self._over = False
        self._turn = threading.Lock()
        # An actor that dies is not started again by Ray: the scheduler decides what becomes of its cells. Two more
        # threads than there are episodes answer, and end the process, while the others wait.
        threads = in_flight + 2
        kind = ray.remote(num_cpus=1, max_restarts=0, max_task_retries=0, max_concurrency=threads)(node.NodeWorker)
        placed = kind.options(scheduling_strategy=_on(member))
        self._actor = placed.remote(config.model_dump_json(), str(Path.cwd()))

    def is_placed(self, wanted: Callable[[], bool]) -> bool:
        """Whether Ray starts it in time, and while it is wanted; raises WorkerLost if its node is gone."""
        reference = self._actor.alive.remote()
        deadline = time.monotonic() + PLACE_S
        while not self._is_there(reference, 0.5):
            if time.monotonic() > deadline or not wanted():
                return False
        self._get(reference)
        self._there = True
        return True

    def await_ready(self) -> None:
        """Have it start its process."""
        self._told(self._asked(self._actor.ready.remote()))

    def run(self, cell: Cell) -> Finished:
        """Have a cell run, and write its episode into the run."""
        text, data = self._asked(self._actor.run.remote(cell.model_dump_json()))
        reply = self._told(text)
        self.spent |= reply.spent
        return replace(self._incoming.keep(cell, data), ends_run=reply.ends_run)

    def end(self) -> None:
        """Let it close its browser and end by itself."""
        self._finish(self._actor.end, END_S)

    def kill(self) -> None:
        """End it at once, and every process that it started."""
        self._finish(self._actor.kill, KILL_S)

    @property
    def _where(self) -> str:
        return f"node {self._member.name}"

    def _finish(self, how: Any, patience: float) -> None:
        with self._turn:
            # The scheduler ends it twice: in the thread that uses it, and after Ctrl-C in its own.
            if self._over:
                return
            self._over = True
        if self._there and not self._lost:
            # An actor that Ray ends outright has no time to end a browser that hangs, or to remove its folder.
            with contextlib.suppress(RayError):
                ray.get(how.remote(), timeout=patience)
        with contextlib.suppress(RayError):
            ray.kill(self._actor)
        self._cluster.release(self._member, lost=self._lost)

    def _asked(self, reference: Any) -> Any:
        """Return an answer; raises WorkerLost when there will be none."""
        asked_s, beat = time.monotonic(), None
        while not self._is_there(reference, _BEAT_S):
            # The worker process has its limits on the node. Here it is asked whether anybody is there who keeps them.
            if beat is None or self._is_there(beat, 0):
                asked_s, beat = time.monotonic(), self._actor.alive.remote()
            elif time.monotonic() - asked_s > SILENCE_S:
                self._lost = True
                raise WorkerLost(f"{self._where} did not answer for {SILENCE_S:g} seconds")
        return self._get(reference)

    def _is_there(self, reference: Any, patience: float) -> bool:
        return bool(ray.wait([reference], timeout=patience)[0])

    def _get(self, reference: Any) -> Any:
        try:
            return ray.get(reference)
        except RayTaskError:
            # An exception of our own code, which is nothing that the death of a machine explains.
            raise
        except RayError as error:
            self._lost = True
            raise WorkerLost(f"{self._where} was lost: {first_line(error)}") from None

    def _told(self, text: str) -> node.Reply:
        reply = node.Reply.model_validate_json(text)
        if reply.log_text:
            with private_log(self._log) as log:
                log.write(reply.log_text.encode())
        reply.raise_for(self._where)
        return reply
