"""Nights of real tasks with synthetic episodes: a test chooses the outcomes."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from stressweb.analysis.nights import Night
from stressweb.log.plan import Plan
from stressweb.log.recording import Cell
from stressweb.log.store import FILE, Store
from stressweb.runner.execution.listener import Listener
from stressweb.runner.execution.start import Place
from stressweb.runner.nightly.design import Design
from stressweb.runner.nightly.history import History
from stressweb.runner.nightly.night import Nightly
from stressweb.runner.plan.experiment import Experiment
from stressweb.runner.registry import Library, task_ids
from stressweb.runner.registry.about_tasks import about_tasks
from tests.support.made_runs import Outcome, episode, identity

SHOP = [task for task in task_ids() if task.startswith("shop/")]


class Stage:
    """Plays nights; a test sets the outcomes of the cells and their versions."""

    def __init__(self, folder: Path) -> None:
        """Let every cell succeed by default."""
        self.history = History(folder / "nightly")
        self.outcome: Outcome = lambda cell: True
        self.version: str | Callable[[Cell], str] = ""
        """Version of all cells, or a function that returns the version of each."""
        self.played: list[tuple[str, Plan, bool]] = []
        self.families = False
        """Whether runs record the families of their tasks, which earlier versions did not."""
        self.stops_after: int | None = None
        """Number of episodes after which the machine goes down."""

    def play(self, experiment: Experiment, place: Place, listener: Listener) -> Path:
        """Write the run as if it had been played."""
        plan = experiment.plan()
        cells = plan.cells()
        self.played.append((str(place.name), plan, place.resume))
        folder = place.runs_dir / str(place.name)
        if not place.resume:
            folder.mkdir(parents=True)
            known = self.identities(None, plan)
            about = {"tasks": about_tasks(Library(), plan.tasks)} if self.families else {}
            Store.create(folder / FILE, {"plan": plan.model_dump(), **about}, cells, known).close()
        with Store.open(folder / FILE) as store:
            for number, cell in enumerate(store.pending()):
                if number == self.stops_after:
                    raise KeyboardInterrupt
                store.save(episode(cell, self.outcome(cell)))
        return folder

    def identities(self, _: Library | None, plan: Plan) -> dict[str, str]:
        """Return the cells' identities in the current version."""
        version = self.version
        return {
            cell.key: identity(cell, version if isinstance(version, str) else version(cell)) for cell in plan.cells()
        }

    def night(self, *, options: tuple[str, ...] = (), size: int = 30, new: bool = False, **fields: Any) -> Night:
        """Run the next night."""
        whole = {"agents": ("resilient",), "tasks": ("shop/*",), "conditions": ("remap", "failure"), **fields}
        design = Design(Experiment.model_validate(whole), size, (*fields, *options))
        nightly = Nightly(design, self.history, Library(), Listener(), None, self.play)
        with self.history.locked():
            pinned = None if new else self.history.baseline()
            return nightly.night(pinned) if pinned else nightly.baseline_night()


def failing(*tasks: str, **only: object) -> Callable[[Cell], bool]:
    """Return an outcome that fails these tasks under every mode, or only in cells that match `only`."""
    return lambda cell: (
        not (
            cell.task in tasks
            and cell.condition != "clean"
            and all(getattr(cell, name) == expected for name, expected in only.items())
        )
    )
