"""Law 9: the agent is not infrastructure. Whatever fails in an agent is its own failure, recorded and graded."""

import os
import re
from pathlib import Path

import pytest

from stressweb.core.agent_spec import AgentSpec
from stressweb.core.browser_program import find_browser
from stressweb.log.plan import Plan
from stressweb.log.recording import Cell, EpisodeRecord
from stressweb.log.run_folder import left_in
from stressweb.log.store import FILE, Store
from stressweb.runner.execution.backend import Finished
from stressweb.runner.execution.conversation import Patience
from stressweb.runner.execution.lanes import Lanes
from stressweb.runner.execution.listener import Listener
from stressweb.runner.execution.local import Local
from stressweb.runner.execution.process import WorkerProcess
from stressweb.runner.execution.scheduler import Scheduler
from stressweb.runner.execution.worker_config import WorkerConfig
from tests.support.plans import condition

pytestmark = pytest.mark.long

MISCHIEF = Path(__file__).resolve().parent.parent / "runner" / "mischief"
TASK = "shop/two-of-a-named-product"
SECONDS = 5.0
CRASHES = {
    "makes": "OSError: no model file",
    "starts": "LookupError: no plan",
    "third": "LookupError: no idea",
    "none": "act returned None, not an Action",
    "dict": "act returned a dict, not an Action",
    "unchecked": "ValidationError: 1 validation error for Action",
    "exits": "SystemExit: 0",
    "interrupts": "KeyboardInterrupt: KeyboardInterrupt",
    "posing": "InfrastructureError: it was not me",
    "unreadable": "Unreadable: (its message cannot be read)",
    "wants": "unknown observation source 'smell'; there are dom, boxes, tree, screenshots",
    "usage": "usage is None, not a Usage",
    "asks": "EOFError: EOF when reading a line",
    "feeds": "LookupError: a child read 0 bytes",
    "shouts": "LookupError: nobody listened",
    "sleeps": "the agent exceeded the time limit of 5 seconds",
    "burns": "the agent exceeded the time limit of 5 seconds",
}
"""The message of each way to fail."""
EACH = [pytest.param(kind, marks=pytest.mark.audit if kind == "burns" else ()) for kind in CRASHES]
"""Each way; `burns` takes seconds of a core, and `sleeps` exceeds the same limit."""
KILLED = {
    "locks": r"the agent exceeded its [\d.]+ seconds and blocked its process",
    "leaves": r"the agent ended its process \(exit status 7\)",
}
"""The same if the agent takes down its process, and with it the recording."""


def cell(kind: str, condition: str = "clean") -> Cell:
    return Cell(agent=f"mischief(kind={kind})", task=TASK, condition=condition, world=0)


def _spec(label: str) -> AgentSpec:
    return AgentSpec(label=label, name="mischief", options=(("kind", label[len("mischief(kind=") : -1]),))


class FailingRun(Listener):
    """A run of failing agents in worker processes."""

    def __init__(self, folder: Path, cells: list[Cell]) -> None:
        self.folder, self.cells, self.finished_cells, self.processes = folder, cells, list[Finished](), 0
        Store.create(folder / FILE, {}, cells).close()
        orders = WorkerConfig(
            database=folder / FILE,
            browser=find_browser().path,
            plan=Plan(
                agents=tuple(_spec(label) for label in dict.fromkeys(each_cell.agent for each_cell in cells)),
                tasks=(),
                conditions=tuple(
                    condition(label) for label in dict.fromkeys(each_cell.condition for each_cell in cells)
                ),
                agent_seconds=SECONDS,
            ),
            parent=os.getpid(),
        )
        Scheduler(orders, cells, Lanes(1), Local(self._start), self).run()
        self.errors = len(left_in(folder).failed)

    def finished(self, finished: Finished) -> None:
        self.finished_cells.append(finished)

    def _start(self, orders: WorkerConfig, log: Path) -> WorkerProcess:
        self.processes += 1
        return WorkerProcess(orders, log, patience=Patience(grace_s=3.0))

    def record(self, kind: str) -> EpisodeRecord:
        with Store.open(self.folder / FILE) as store:
            return store.load(cell(kind))

    @property
    def log(self) -> str:
        return (self.folder / "worker-0.log").read_text("utf-8")


@pytest.fixture(scope="module")
def failing_run(chosen_params: set[str], tmp_path_factory: pytest.TempPathFactory) -> FailingRun:
    """A run of the kinds that the selected tests need."""
    kinds = [kind for kind in (*CRASHES, *KILLED, "outage") if kind in chosen_params | {"outage"}]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(MISCHIEF))
        patch.setenv("MISCHIEF_API_KEY", "no-idea-secret-0123456789")
        return FailingRun(tmp_path_factory.mktemp("run"), [cell(kind) for kind in kinds])


@pytest.mark.sample(1)
@pytest.mark.parametrize("kind", EACH)
def test_a_failing_agent_is_graded_with_what_it_left(failing_run: FailingRun, kind: str) -> None:
    record = failing_run.record(kind)
    assert (record.status, record.claim) == ("crashed", "none")
    assert record.message.startswith(CRASHES[kind])
    assert record.grade is not None
    assert not record.grade.success
    assert "/cart" in record.closings, "the evidence is still read"
    steps = {"third": 3, "sleeps": 3}.get(kind, 1)
    assert len(record.steps) == steps, "the first page, and every action until then"


@pytest.mark.sample(1)
@pytest.mark.parametrize("kind", sorted({*CRASHES} - {"none", "dict", "usage", "wants"}))
def test_the_traceback_is_kept_in_recording_and_log(failing_run: FailingRun, kind: str) -> None:
    trace = failing_run.record(kind).traceback
    where = {"makes": "__init__", "starts": "start", "unchecked": "_decide"}.get(kind, f"do_{kind}")
    assert f", in {where}" in trace
    assert trace in failing_run.log
    assert f"crashed: {cell(kind).key}: {CRASHES[kind]}" in failing_run.log
    assert str(Path(__file__).parent.parent.parent) not in trace, "no folder of this machine"


@pytest.mark.sample(1, "gone")
@pytest.mark.parametrize("kind", KILLED)
def test_an_agent_that_takes_its_process_along_has_failed_too(failing_run: FailingRun, kind: str) -> None:
    record = failing_run.record(kind)
    assert (record.status, record.claim, record.steps) == ("crashed", "none", [])
    assert re.fullmatch(KILLED[kind], record.message)
    assert record.grade is not None
    assert not any(record.grade.passed.values())
    assert record.grade.passed, "it counts with every checkpoint of its task"


@pytest.mark.sample(1, "gone")
@pytest.mark.parametrize("kind", ["locks"])
def test_the_stack_of_an_agent_that_held_up_its_process_is_kept(failing_run: FailingRun, kind: str) -> None:
    assert f" in do_{kind}" in failing_run.record(kind).traceback


def test_an_endpoint_that_fails_is_no_failure_of_the_agent(failing_run: FailingRun) -> None:
    record = failing_run.record("outage")
    assert (record.status, record.message, record.grade) == ("error", "no quota left", None)
    assert "do_outage" in record.traceback
    assert failing_run.errors == 1


def test_every_cell_is_reported_once(failing_run: FailingRun) -> None:
    statuses = {finished.cell.agent: finished.status for finished in failing_run.finished_cells}
    assert len(failing_run.finished_cells) == len(statuses) == len(failing_run.cells)
    assert set(statuses.values()) == {"crashed", "error"}


def test_a_process_in_which_an_agent_hangs_serves_no_other_episode(failing_run: FailingRun) -> None:
    hanging = {cell(kind) for kind in ("sleeps", "burns", *KILLED)} & {*failing_run.cells}
    # The first process, and a new one after each agent that hangs or ends its process.
    assert failing_run.processes == 1 + len(hanging)
