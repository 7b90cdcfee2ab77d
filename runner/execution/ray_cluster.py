"""Runs workers on a Ray cluster: Ray starts and ends them and transports messages.

Only this process writes the run's database. Ray is an extra, so only runs that use it import this module.
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

from stressweb.core.errors import InfrastructureError, UserError, first_line
from stressweb.core.words import counted
from stressweb.log.recording import Cell
from stressweb.runner.execution import node
from stressweb.runner.execution.backend import Finished, WorkerLost
from stressweb.runner.execution.backends import Ray
from stressweb.runner.execution.conversation import SILENCE_S
from stressweb.runner.execution.incoming import Incoming
from stressweb.runner.execution.lanes import MODELS, Lanes
from stressweb.runner.execution.mission import Mission
from stressweb.runner.execution.private_log import private_log
from stressweb.runner.execution.worker_config import WorkerConfig

EXAMINE_S = 180.0
"""Seconds that a node may take to report what is installed on it: Ray starts a Python process there, which draws the
plan's tasks."""
PLACE_S = 60.0
"""Seconds after which a processor that Ray does not assign counts as used by others."""
PRESENT_S = 20.0
"""Seconds without an answer after which a node that lost a worker counts as gone."""
END_S = 15.0
"""Seconds that a worker may take to close its browser."""
KILL_S = 5.0
"""Seconds that a worker may take to end its child processes before Ray kills it."""
_BEAT_S = 5.0
"""Seconds between two checks whether a worker is alive."""


class Member(NamedTuple):
    """A node of the cluster that has processors."""

    id: str
    name: str
    processors: int


class Cluster(Ray):
    """A connected Ray cluster whose nodes all meet the needs of the run."""

    def __init__(self, mission: Mission) -> None:
        """Check all nodes; raise UserError that names a node and how it differs.

        This process must be connected to the cluster. Nodes that join later are not used.
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
        # Places for workers: the number of each node, and how many are taken.
        self._places = Counter({member.id: member.processors for member in self._members.values()})
        self._worker_counts = Counter[str]()
        self._change = threading.Condition()
        self._incoming: Incoming | None = None
        self._in_flight = 1

    def lanes(self, workers: int | None, in_flight: int | None, *, waits: bool, own_browsers: bool = False) -> Lanes:
        """Return the requested numbers, with at most one worker for each processor of the cluster.

        If agents wait for a model, as many episodes run at a time as on one machine, because the memory of the nodes is
        unknown.
        """
        processes = min(workers or self._places.total(), self._places.total())
        self._in_flight = in_flight or (max(1, MODELS // processes) if waits else 1)
        return Lanes(processes, self._in_flight)

    def start(self, config: WorkerConfig, log: Path, wanted: Callable[[], bool]) -> "RemoteWorker | None":
        """Start a worker on the node with the most free places."""
        with self._change:
            self._incoming = self._incoming or Incoming(config.database)
        config = config.model_copy(update={"base_url": self._mission.base_url, "extensions": self._mission.sources})
        while (member := self._place(wanted)) is not None:
            worker = RemoteWorker(self, member, config, log, self._incoming, self._in_flight)
            with contextlib.suppress(WorkerLost):
                if worker.is_placed(wanted):
                    return worker
                if wanted():
                    # Others use this processor; requesting it again would only take time.
                    with self._change:
                        self._places[member.id] = max(0, self._places[member.id] - 1)
            worker.kill()
        return None

    def _place(self, wanted: Callable[[], bool]) -> Member | None:
        """Wait for a free place, take it and return its node; return None when `wanted()` is false."""
        with self._change:
            while wanted():
                free = {node_id: self._places[node_id] - self._worker_counts[node_id] for node_id in self._members}
                best = max(free, key=lambda node_id: free[node_id])
                if free[best] > 0:
                    self._worker_counts[best] += 1
                    return self._members[best]
                if self._places.total() <= 0:
                    reason = "the nodes are gone, or others use their processors"
                    raise InfrastructureError(f"the Ray cluster has no place left for a worker: {reason}")
                # Wait with a timeout: `wanted` can change without a notification when the last cell is done elsewhere.
                self._change.wait(0.5)
        return None

    def release(self, member: Member, *, lost: bool) -> None:
        """Free the place of a worker that has ended; `lost`: it ended unexpectedly, so its node may be gone."""
        gone = lost and not _answers(member)
        with self._change:
            self._worker_counts[member.id] -= 1
            if gone:
                self._places[member.id] = 0
            self._change.notify_all()


def _name(about: Mapping[str, Any]) -> str:
    """Return a node's name for messages: its machine, and its id, since a machine may have several nodes."""
    return f"{about['NodeManagerHostname']} ({about['NodeID'][:8]})"


def _pinned_to(member: Member) -> NodeAffinitySchedulingStrategy:
    return NodeAffinitySchedulingStrategy(member.id, soft=False)


def _examine(members: Collection[Member], mission: Mission) -> None:
    """Raise UserError if a node differs from this machine, because its episodes would not be comparable."""
    examined = ray.remote(num_cpus=0, max_retries=0)(node.examined)
    text = mission.model_dump_json()
    # Examine all nodes at once, since each takes seconds.
    pending = {member: examined.options(scheduling_strategy=_pinned_to(member)).remote(text) for member in members}
    local_facts = node.facts(mission)
    deadline = time.monotonic() + EXAMINE_S
    problems = []
    for member, reference in pending.items():
        try:
            node_facts = ray.get(reference, timeout=max(0.0, deadline - time.monotonic()))
            problem = node.difference(local_facts, node_facts)
        except GetTimeoutError:
            problem = f"it did not report within {EXAMINE_S:g} seconds what is installed on it"
        except RayTaskError as error:
            # Usually because it cannot import stressweb.
            problem = f"it cannot run this stressweb: {first_line(error.cause or error)}"
        except RayError as error:
            problem = first_line(error)
        if problem:
            problems.append(f"node {member.name}: {problem}")
    if problems:
        more = f" (and {counted(len(problems) - 1, 'other node')})" if len(problems) > 1 else ""
        cure = "install the same on every node, or leave the node out of the cluster"
        raise UserError(f"{problems[0]}{more}; {cure}")


def _answers(member: Member) -> bool:
    """Return whether a node still answers."""
    present = ray.remote(num_cpus=0, max_retries=0)(node.present)
    try:
        ray.get(present.options(scheduling_strategy=_pinned_to(member)).remote(), timeout=PRESENT_S)
    except RayError:
        return False
    return True


class RemoteWorker:
    """A worker on a node: a Ray actor that is the parent of a worker process there."""

    def __init__(
        self, cluster: Cluster, member: Member, config: WorkerConfig, log: Path, incoming: Incoming, in_flight: int
    ) -> None:
        """Request the worker from Ray; its output goes to `log` and its episodes to `incoming`."""
        self._cluster, self._member, self._log, self._incoming = cluster, member, log, incoming
        self.takes_no_more = False
        self._was_placed = self._is_lost = self._has_ended = False
        self._turn = threading.Lock()
        # Ray must not restart an actor that dies, because the scheduler decides about its cells. Two additional threads
        # answer requests and end the process while the others run episodes.
        threads = in_flight + 2
        actor_class = ray.remote(num_cpus=1, max_restarts=0, max_task_retries=0, max_concurrency=threads)(
            node.NodeWorker
        )
        placed = actor_class.options(scheduling_strategy=_pinned_to(member))
        self._actor = placed.remote(config.model_dump_json(), str(Path.cwd()))

    def is_placed(self, wanted: Callable[[], bool]) -> bool:
        """Return whether Ray starts it in time and while it is wanted; raise WorkerLost if its node is gone."""
        reference = self._actor.alive.remote()
        deadline = time.monotonic() + PLACE_S
        while not self._has_arrived(reference, 0.5):
            if time.monotonic() > deadline or not wanted():
                return False
        self._get(reference)
        self._was_placed = True
        return True

    def await_ready(self) -> None:
        """Start the worker process and wait until it accepts cells."""
        self._parse_reply(self._await_answer(self._actor.ready.remote()))

    def run(self, cell: Cell) -> Finished:
        """Run a cell and write its episode into the run's database."""
        text, data = self._await_answer(self._actor.run.remote(cell.model_dump_json()))
        reply = self._parse_reply(text)
        self.takes_no_more |= reply.takes_no_more
        return replace(self._incoming.keep(cell, data), ends_run=reply.ends_run)

    def end(self) -> None:
        """Let the worker close its browser and exit."""
        self._finish(self._actor.end, END_S)

    def kill(self) -> None:
        """Kill the worker and every process that it started."""
        self._finish(self._actor.kill, KILL_S)

    @property
    def _node_label(self) -> str:
        return f"node {self._member.name}"

    def _finish(self, how: Any, patience: float) -> None:
        with self._turn:
            # The scheduler may end a worker twice: in the thread that uses it and, after Ctrl-C, in the main thread.
            if self._has_ended:
                return
            self._has_ended = True
        if self._was_placed and not self._is_lost:
            # `ray.kill` would leave the actor no time to end a hanging browser or to remove its folder.
            with contextlib.suppress(RayError):
                ray.get(how.remote(), timeout=patience)
        with contextlib.suppress(RayError):
            ray.kill(self._actor)
        self._cluster.release(self._member, lost=self._is_lost)

    def _await_answer(self, reference: Any) -> Any:
        """Wait for an answer and return it; raise WorkerLost if the worker stops answering."""
        ping_s, beat = time.monotonic(), None
        while not self._has_arrived(reference, _BEAT_S):
            # The actor on the node enforces the worker's time limits. Check here that the actor itself is alive.
            if beat is None or self._has_arrived(beat, 0):
                ping_s, beat = time.monotonic(), self._actor.alive.remote()
            elif time.monotonic() - ping_s > SILENCE_S:
                self._is_lost = True
                raise WorkerLost(f"{self._node_label} did not answer for {SILENCE_S:g} seconds")
        return self._get(reference)

    def _has_arrived(self, reference: Any, patience: float) -> bool:
        return bool(ray.wait([reference], timeout=patience)[0])

    def _get(self, reference: Any) -> Any:
        try:
            return ray.get(reference)
        except RayTaskError:
            # An exception in our own code, which is not caused by the loss of a machine.
            raise
        except RayError as error:
            self._is_lost = True
            raise WorkerLost(f"{self._node_label} was lost: {first_line(error)}") from None

    def _parse_reply(self, text: str) -> node.Reply:
        reply = node.Reply.model_validate_json(text)
        if reply.log_text:
            with private_log(self._log) as log:
                log.write(reply.log_text.encode())
        reply.raise_for(self._node_label)
        return reply
