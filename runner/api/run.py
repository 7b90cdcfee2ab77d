"""The Python API behind `import stressweb`: a run and its recording."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from rich.console import Console

from stressweb.analysis.curves.measured import curves
from stressweb.analysis.measures import measure
from stressweb.analysis.table import summary
from stressweb.analysis.unfinished import unfinished
from stressweb.bundle.archive import bundle
from stressweb.bundle.located_run import LocatedRun, locate_run
from stressweb.core.errors import UserError
from stressweb.log.run_folder import recorded_plan, resuming
from stressweb.log.store import FILE, Store
from stressweb.runner.execution.listener import Listener
from stressweb.runner.execution.start import Place, play
from stressweb.runner.export.export import check_format, export
from stressweb.runner.export.tables import ledger_rows, step_rows
from stressweb.runner.outcome.regrading import regrade
from stressweb.runner.outcome.reporting import write
from stressweb.runner.outcome.results import graded, recorded_prices
from stressweb.runner.plan.experiment import Experiment

if TYPE_CHECKING:
    import pandas

    from stressweb.analysis.curves.measured import Curves
    from stressweb.analysis.graded import Graded
    from stressweb.analysis.result_row import ResultRow
    from stressweb.bundle.located_run import LocatedRun
    from stressweb.core.price import Price

Frame = Literal["episodes", "results", "steps", "ledger"]
"""The tables that `Run.to_pandas` returns."""


class Run:
    """A run on disk. Everything is read from its recording, so a run can be opened anywhere, at any time."""

    def __init__(self, path: Path, located: LocatedRun | None = None) -> None:
        """Take the folder of the run; raises UserError if its recording cannot be read.

        `located` has the name of a run that was unpacked from a bundle.
        """
        self.path = path
        self._known_location = located
        with Store.read(path / FILE) as store:
            self.meta = store.meta()
            """Metadata of the run: its plan, versions, browser, suite."""

    def __repr__(self) -> str:
        """Name the run."""
        return f"Run({str(self._located.display_path)!r})"

    @property
    def _located(self) -> LocatedRun:
        return self._known_location or LocatedRun(self.path, self.path.resolve().name)

    @cached_property
    def _graded(self) -> list[Graded]:
        # Known since the run was opened: checking a large file takes longer than reading what is wanted of it.
        with Store.read(self.path / FILE, known=True) as store:
            return graded(store)

    def episodes(self) -> list[Graded]:
        """Return every finished episode with its grade."""
        return list(self._graded)

    def unfinished(self) -> str:
        """Return in one line how many planned episodes have not run yet; an empty text if all have."""
        with Store.read(self.path / FILE, known=True) as store:
            missing, planned = store.missing(), len(store.cells())
        resume = resuming(self.path) if self._located.bundle is None else ""
        return unfinished(str(self._located.display_path), planned, missing, resume=resume)

    def results(self) -> list[ResultRow]:
        """Return a row for each agent and condition: rates, paired differences, intervals, adjusted p-values."""
        return measure(self._graded)

    def curves(self, prices: Mapping[str, Price] | None = None) -> Curves:
        """Return curves and comparisons: severities, pairs of modes, steps, costs, repeats, tasks.

        `prices` are the prices of the agents' models, by the agent's name (default: the prices in the experiment).
        """
        with Store.read(self.path / FILE, known=True) as store:
            plan, known = recorded_plan(store), recorded_prices(store)
        return curves(self._graded, plan.conditions, {**known, **(prices or {})})

    def steps(self) -> Iterator[dict[str, Any]]:
        """Yield a row for each step of each episode: the episode, the action, its outcome, its cost, what sources read.

        Step 0 is the first page: it has no action. The columns are those of `export`, and `sources`.
        """
        with Store.read(self.path / FILE, known=True) as store:
            store.check_whole()
            for cell in store.finished():
                steps = store.steps(store.details(cell))
                for row, step in zip(step_rows(cell, steps), steps, strict=True):
                    yield {**row, "sources": dict(step.sources)}

    def ledger(self) -> Iterator[dict[str, Any]]:
        """Yield a row for each line of each episode's ledger: what was planned, delivered, met and overcome."""
        with Store.read(self.path / FILE, known=True) as store:
            store.check_whole()
            for cell in store.finished():
                yield from ledger_rows(cell, store.details(cell).ledger)

    def to_pandas(self, what: Frame = "episodes") -> pandas.DataFrame:
        """Return a data frame with one row per episode, or per result, step or line of the ledger.

        Raises UserError if pandas is not installed, or for another `what`.
        """
        # Functions, so that only the requested table is read.
        rows: dict[str, Callable[[], list[dict[str, Any]]]] = {
            "episodes": lambda: [_flat(episode.model_dump()) for episode in self._graded],
            "results": lambda: [_flat(row.model_dump()) for row in self.results()],
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

    def export(self, to: str, folder: str | Path | None = None) -> Path:
        """Write results, episodes, steps and ledger as tables to a folder and return it.

        `to` is "csv", "jsonl", "parquet", or "inspect", which writes logs of Inspect AI. The folder is by default
        `export-csv` and so on in the run's folder. An earlier export is replaced; raises UserError for a folder that
        holds anything else.
        """
        # Before the format becomes part of the default folder's name.
        check_format(to)
        place = Path(folder) if folder is not None else self._located.beside(f"export-{to}")
        export(self.path, to, place, name=self._located.name)
        return place

    def bundle(self, path: str | Path | None = None, *, pictures: bool = True) -> Path:
        """Write one archive that others can check and grade again, and return its path.

        It is by default a zip file with the run's name in the run's folder. Without `pictures` screenshots are left
        out. Raises UserError if an episode was changed after it was recorded, or for a file that is no bundle.
        """
        output = Path(path) if path is not None else self._located.beside(f"{self._located.name}.zip")
        bundle(self.path, output, name=self._located.name, pictures=pictures)
        return output

    def table(self, *, width: int | None = None) -> str:
        """Return the table that `stressweb run` ends with, as text of `width` columns, 80 if not given."""
        # Independent of the caller's terminal, so that the text is always the same.
        console = Console(width=width or 80, no_color=True, force_terminal=False)
        with console.capture() as captured:
            console.print(summary(self._graded, unfinished=self.unfinished()))
        return captured.get()

    def grade(self, *, changed_alone: bool = False) -> dict[str, Any]:
        """Grade every episode again from the recording and store the grades.

        Returns the keys of the episodes whose grade `changed`, and of those that were `altered` after they were
        recorded, which keep their grade; the key "run" tells how the run as a whole was altered, such as by a removed
        episode. With `changed_alone` the grades that the same checks have made are kept, too: `kept` is their number.
        These episodes are still checked for changes.
        """
        with Store.open(self.path / FILE) as store:
            regraded = regrade(store, changed_alone=changed_alone)
        # Clears the `cached_property`, since the grades have just changed.
        self.__dict__.pop("_graded", None)
        altered = {**regraded.altered, **({"run": regraded.misfit} if regraded.misfit else {})}
        return {"changed": list(regraded.changed), "altered": altered, "kept": regraded.reused}

    def report(self, path: Path | None = None) -> Path:
        """Write the report as HTML and return its path: `report.html` in the run's folder by default.

        The details of a large run go into a folder beside it.
        """
        output = path or self._located.beside("report.html")
        write(self.path, output, name=self._located.name)
        return output


def run(
    experiment: Experiment,
    *,
    name: str | None = None,
    runs_dir: str | Path = "runs",
    resume: bool = False,
    workers: int | None = None,
    in_flight: int | None = None,
    headed: bool = False,
    backend: str = "local",
    address: str | None = None,
    record_llm: str | Path | None = None,
    replay_llm: str | Path | None = None,
    listener: Listener | None = None,
) -> Run:
    """Run an experiment and return the run; blocks until every episode is finished.

    `name` is the folder in `runs_dir`, made from date and conditions if not given. With `resume` the run of that name
    is continued: only missing episodes, and those that ended in an error, are run. `workers` is the number of
    workers, `in_flight` that of the episodes that each runs at a time; if not given, the experiment's, or what suits
    the machine. Workers are processes on this machine, or with the backend "ray" on the machines of the Ray cluster at
    `address`, "HOST:PORT". `record_llm` is a file in which exchanges with language models are recorded, `replay_llm`
    one from which they are replayed without an endpoint. `listener` is notified of the progress.

    Raises UserError before anything is made if the experiment cannot be run. Episodes that end in an error raise
    nothing: `results` counts them.
    """
    place = Place(
        name,
        Path(runs_dir),
        resume,
        workers,
        in_flight,
        headed=headed,
        backend=backend,
        address=address,
        record_llm=Path(record_llm) if record_llm else None,
        replay_llm=Path(replay_llm) if replay_llm else None,
    )
    return Run(play(experiment, place, listener or Listener()).folder)


def open_run(path: str | Path) -> Run:
    """Return a run by its folder, its name in the folder `runs`, or its bundle; raises UserError if there is none.

    A bundle is checked first, and stays as it is: its recording is unpacked into a temporary folder that lives as long
    as the run.
    """
    stack = ExitStack()
    place = stack.enter_context(locate_run(str(path), Path("runs")))
    try:
        opened = Run(place.folder, place)
    # Without a run nothing else would remove the folder.
    except BaseException:
        stack.close()
        raise
    # A run has no `close`. This removes the folder when the run is garbage-collected or Python exits.
    weakref.finalize(opened, stack.close)
    return opened


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row with mappings flattened into columns: `exposed` of remap becomes `exposed_remap`."""
    columns: dict[str, Any] = {}
    for name, field in row.items():
        if isinstance(field, dict):
            columns.update({f"{name}_{key}": entry for key, entry in field.items()})
        else:
            columns[name] = field
    return columns
