"""A run on a Ray cluster of three local nodes, one of which is killed during the run.

A separate program for a Python that has Ray: `on_ray.py FOLDER AGENTS TASKS CONDITIONS`. It
prints its observations as JSON.
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

# Before Ray is imported: no usage reports, and, by a variable named for other systems, every server
# listens on loopback only.
os.environ |= {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
    "RAY_agent_register_timeout_ms": "120000",
}

from ray.cluster_utils import Cluster

import stressweb as sw
from stressweb.core.process_tree import Member, descendants_of, end
from stressweb.log.recording import Cell
from stressweb.runner.execution.backend import Finished
from stressweb.runner.execution.listener import Listener

RUNNING = "ray::NodeWorker.run"
"""Title that Ray gives a process that waits for an episode."""


def options(processors: int) -> dict[str, Any]:
    """Return the options of a node. With fixed ports it does not wait for its agents, which would time out after 15 s."""
    names = ("metrics_agent_port", "runtime_env_agent_port", "dashboard_agent_listen_port")
    with contextlib.ExitStack() as taken:
        servers = [taken.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in names]
        ports = {name: server.getsockname()[1] for name, server in zip(names, servers, strict=True)}
    return {"num_cpus": processors, "object_store_memory": 80_000_000, **ports}


class Killing(Listener):
    """Listener that kills a node while every node runs an episode."""

    def __init__(self, cluster: Cluster, nodes: list[Any]) -> None:
        self.cluster, self.nodes = cluster, nodes
        self.began, self.completed = Counter[str](), Counter[str]()
        self.running = set[str]()
        self.due = False
        self.descendants, self.had = set[Member](), list[str]()
        self._lock = threading.Lock()

    def started(self, cell: Cell) -> None:
        with self._lock:
            self.began[cell.key] += 1
            self.running.add(cell.key)
            due = len(self.completed) >= 3 and len(self.running) >= len(self.nodes) and not self.due
            self.due = self.due or due
        if due:
            # In another thread, because this one is about to run the cell.
            threading.Thread(target=self._kill, daemon=True).start()

    def finished(self, finished: Finished) -> None:
        with self._lock:
            self.completed[finished.cell.key] += 1
            self.running.discard(finished.cell.key)

    def _kill(self) -> None:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            for node in self.nodes:
                processes = descendants_of(node.all_processes["raylet"][0].process.pid)
                workers = [
                    member
                    for member in processes
                    if any("stressweb.runner.execution.worker" in line for line in commands({member}))
                ]
                # Stopped first, so its episode cannot end before its node.
                _signal(workers, signal.SIGSTOP)
                time.sleep(0.3)
                running = commands(processes)
                if RUNNING in running:
                    self.descendants, self.had = processes, running
                    self.cluster.remove_node(node, allow_graceful=False)
                    return
                _signal(workers, signal.SIGCONT)


def _signal(members: list[Member], number: int) -> None:
    for member in members:
        with contextlib.suppress(ProcessLookupError):
            os.kill(member.pid, number)


def commands(members: set[Member]) -> list[str]:
    """Return the command lines of the processes that are alive."""
    lines = []
    for member in members:
        # The process may end at any time.
        with contextlib.suppress(OSError):
            content = Path(f"/proc/{member.pid}/cmdline").read_bytes()
            lines.append(content.replace(b"\0", b" ").decode(errors="replace").strip())
    return [line for line in lines if line]


def started(start: Callable[[], Any]) -> Any:
    """Start a part of a cluster, with retries: Ray's limit of half a minute is too short on a busy machine."""
    for _ in range(4):
        before = descendants_of(os.getpid())
        try:
            return start()
        except Exception as error:
            print(f"again: {error}", file=sys.stderr)
            # Processes of the failed start would slow down the next try.
            end(descendants_of(os.getpid()) - before)
    raise SystemExit("Ray starts no cluster on this machine")


def main() -> None:
    folder, agents, tasks, conditions = Path(sys.argv[1]), *(text.split() for text in sys.argv[2:])
    ray_options = {"include_dashboard": False, "include_log_monitor": False, "no_monitor": True}
    cluster = started(lambda: Cluster(initialize_head=True, head_node_args={**options(0), **ray_options}))
    try:
        nodes = [started(lambda: cluster.add_node(**options(1))) for _ in range(3)]
        listener = Killing(cluster, nodes)
        experiment = sw.Experiment(agents=agents, tasks=tasks, conditions=conditions, screenshots=False)
        sw.run(experiment, name="ray", runs_dir=folder, backend="ray", address=cluster.address, listener=listener)
        # The kernel ends the children of a dead parent, but not at once.
        deadline = time.monotonic() + 30
        while (running := commands(listener.descendants)) and time.monotonic() < deadline:
            time.sleep(0.2)
        seen = {
            "began": listener.began,
            "completed": listener.completed,
            "had": listener.had,
            "left": running,
        }
        print(json.dumps(seen))
    finally:
        cluster.shutdown()


if __name__ == "__main__":
    main()
