"""The Python API behind `import stressweb`: a run, and what it recorded."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from runner.experiment.experiment import Experiment
from runner.experiment.start import Place, Watcher, carry_out, checked
from runner.registry import Library
from stressweb.core.errors import UserError
from stressweb.log.store import FILE, Store

if TYPE_CHECKING:
    import pandas

    from stressweb.analysis.curves.costs import Price
    from stressweb.analysis.curves.measured import Curves
    from stressweb.analysis.graded import Graded
    from stressweb.analysis.measures import ResultRow

Frame = Literal["episodes", "results", "steps", "ledger"]
"""What `Run.to_pandas` makes a data frame of."""


class Run:
    """A run on disk. Everything is read from its recording, so a run can be opened anywhere, at any time."""

    def __init__(self, path: Path) -> None:
        """Take the folder of the run; raises UserError if it holds no recording that can be read."""
        self.path = path
        with Store.read(path / FILE) as store:
            self.meta = store.meta()
            """What is written down about the run as a whole: its plan, versions, browser, suite."""

    def __repr__(self) -> str:
        """Name the run."""
        return f"Run({str(self.path)!r})"

    @cached_property
    def _graded(self) -> list[Graded]:
        from runner.experiment.results import graded  # noqa: PLC0415

        with Store.read(self.path / FILE) as store:
            return graded(store)

    def episodes(self) -> list[Graded]:
        """Return every finished episode with its grade."""
        return list(self._graded)

    def results(self) -> list[ResultRow]:
        """Return a row for each agent and condition: rates, paired differences, intervals, adjusted p-values."""
        from stressweb.analysis.measures import measure  # noqa: PLC0415 - needs scipy

        return measure(self._graded)

    def curves(self, prices: Mapping[str, Price] | None = None) -> Curves:
        """Return curves and comparisons: severities, pairs of modes, steps, costs, repeats, tasks.

        `prices` has what the provider of an agent's model charges, by the agent's name.
        """
        from runner.experiment.run_folder import recorded_plan  # noqa: PLC0415
        from stressweb.analysis.curves.measured import curves  # noqa: PLC0415 - needs scipy

        with Store.read(self.path / FILE) as store:
            plan = recorded_plan(store)
        return curves(self._graded, plan.conditions, prices)

    def steps(self) -> Iterator[dict[str, Any]]:
        """Yield a row for each step of each episode: the cell, the action, its outcome, and what it cost.

        Step 0 is the first page: it has no action.
        """
        with Store.read(self.path / FILE) as store:
            for episode in store.episodes():
                for number, step in enumerate(store.load(episode.cell).steps):
                    yield {
                        **episode.cell.model_dump(),
                        "step": number,
                        "action": step.action.kind if step.action else None,
                        "selector": step.action.selector if step.action else None,
                        "text": step.action.text if step.action else None,
                        "ok": step.outcome.ok if step.outcome else None,
                        "outcome": str(step.outcome) if step.outcome else None,
                        "url": step.page.url,
                        "seconds": step.seconds,
                        "tokens_in": step.usage.tokens_in,
                        "tokens_out": step.usage.tokens_out,
                    }

    def ledger(self) -> Iterator[dict[str, Any]]:
        """Yield a row for each line of each episode's ledger: what was planned, delivered, met and overcome."""
        with Store.read(self.path / FILE) as store:
            for episode in store.episodes():
                for entry in store.ledger(episode.cell):
                    yield {**episode.cell.model_dump(), **entry.model_dump()}

    def to_pandas(self, what: Frame = "episodes") -> pandas.DataFrame:
        """Return a data frame with one row per episode, or per result, step or line of the ledger.

        Raises UserError if pandas is not installed, or for another `what`.
        """
        rows: dict[str, Callable[[], list[dict[str, Any]]]] = {
            "episodes": lambda: [_flat(one.model_dump()) for one in self._graded],
            "results": lambda: [_flat(one.model_dump()) for one in self.results()],
            "steps": lambda: list(self.steps()),
            "ledger": lambda: list(self.ledger()),
        }
        if what not in rows:
            raise UserError(f"to_pandas makes a frame of {', '.join(get_args(Frame))}, not of {what!r}")
        try:
            import pandas  # noqa: PLC0415 - an extra
        except ImportError:
            raise UserError("to_pandas needs pandas; install it with: pip install 'stressweb[pandas]'") from None
        return pandas.DataFrame(rows[what]())

    def table(self, *, width: int | None = None) -> str:
        """Return the table that `stressweb run` ends with, as text of `width` columns, 80 if not given."""
        from rich.console import Console  # noqa: PLC0415

        from stressweb.analysis.table import summary  # noqa: PLC0415

        console = Console(width=width or 80, no_color=True, force_terminal=False)
        with console.capture() as captured:
            console.print(summary(self._graded))
        return captured.get()

    def grade(self) -> dict[str, Any]:
        """Grade every episode again from the recording and store the grades.

        Returns the keys of the episodes whose grade `changed`, and of those that were `altered` after they were
        recorded, which keep their grade.
        """
        from runner.episode.grading import regrade  # noqa: PLC0415

        with Store.open(self.path / FILE) as store:
            again = regrade(store, Library())
        self.__dict__.pop("_graded", None)
        return {"changed": list(again.changed), "altered": dict(again.altered)}

    def report(self, path: Path | None = None) -> Path:
        """Write the report as HTML and return its path: `report.html` in the run's folder by default.

        The details of a large run go into a folder beside it.
        """
        from runner.experiment.reporting import write  # noqa: PLC0415

        output = path or self.path / "report.html"
        write(self.path, output)
        return output


def run(
    experiment: Experiment,
    *,
    name: str | None = None,
    runs_dir: str | Path = "runs",
    resume: bool = False,
    workers: int | None = None,
    headed: bool = False,
    watcher: Watcher | None = None,
) -> Run:
    """Run an experiment and return what came of it; blocks until every episode is finished.

    `name` is the folder in `runs_dir`, made from date and conditions if not given. With `resume` the run of that name
    is continued: only missing episodes, and those that ended in an error, are run. `workers` is the number of
    processes, one per core if not given. `watcher` hears how far the run is.

    Raises UserError before anything is made if the experiment cannot be run. Episodes that end in an error raise
    nothing: `results` counts them.
    """
    place = Place(name, Path(runs_dir), resume, workers, headed)
    library = Library()
    plan = checked(experiment, place, experiment.given, library)
    folder, _ = carry_out(experiment, plan, place, library, watcher or Watcher())
    return Run(folder)


def open_run(path: str | Path) -> Run:
    """Return a run by its folder, or by its name in the folder `runs`; raises UserError if there is none."""
    from runner.experiment.run_folder import run_folder  # noqa: PLC0415

    return Run(run_folder(str(path), Path("runs")))


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row whose mappings are columns of their own: `exposed` of remap becomes `exposed_remap`."""
    found: dict[str, Any] = {}
    for name, value in row.items():
        if isinstance(value, dict):
            found.update({f"{name}_{key}": one for key, one in value.items()})
        else:
            found[name] = value
    return found
