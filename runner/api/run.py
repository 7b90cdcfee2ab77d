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
from stressweb.core.choices import unknown
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
    """A recorded run. All methods read the recording, so you can open a run anywhere, at any time."""

    def __init__(self, path: Path, located: LocatedRun | None = None) -> None:
        """Take the run's folder; raises UserError if its recording cannot be read.

        `located` has the name of a run unpacked from a bundle.
        """
        self.path = path
        self._known_location = located
        with Store.read(path / FILE) as store:
            self.meta = store.meta()
            """Metadata of the run: its plan, versions, browser, suite."""

    def __repr__(self) -> str:
        """Return the run's path."""
        return f"Run({str(self._located.display_path)!r})"

    @property
    def _located(self) -> LocatedRun:
        return self._known_location or LocatedRun(self.path, self.path.resolve().name)

    @cached_property
    def _graded(self) -> list[Graded]:
        # `known` skips the check of the file, which was done when the run was opened and is slow for a large one.
        with Store.read(self.path / FILE, known=True) as store:
            return graded(store)

    def episodes(self) -> list[Graded]:
        """Return every finished episode with its grade."""
        return list(self._graded)

    def unfinished(self) -> str:
        """Return a line about the planned episodes that are missing; empty if there are none."""
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
        """Yield a row for each step of each episode: the episode, action, outcome, cost, and values of sources.

        Step 0 is the first page and has no action. The columns are those of `export`, and `sources`.
        """
        with Store.read(self.path / FILE, known=True) as store:
            store.check_whole()
            for cell in store.finished():
                steps = store.steps(store.details(cell))
                for row, step in zip(step_rows(cell, steps), steps, strict=True):
                    yield {**row, "sources": dict(step.sources)}

    def ledger(self) -> Iterator[dict[str, Any]]:
        """Yield a row for each entry of each episode's ledger: disturbances planned, delivered, met and overcome."""
        with Store.read(self.path / FILE, known=True) as store:
            store.check_whole()
            for cell in store.finished():
                yield from ledger_rows(cell, store.details(cell).ledger)

    def to_pandas(self, what: Frame = "episodes") -> pandas.DataFrame:
        """Return a data frame with a row per episode, result, step or ledger entry.

        Raises UserError if pandas is not installed, or for an unknown `what`.
        """
        # Functions, so that only the requested table is read.
        rows: dict[str, Callable[[], list[dict[str, Any]]]] = {
            "episodes": lambda: [_flat(episode.model_dump()) for episode in self._graded],
            "results": lambda: [_flat(row.model_dump()) for row in self.results()],
            "steps": lambda: list(self.steps()),
            "ledger": lambda: list(self.ledger()),
        }
        if what not in rows:
            raise UserError(unknown("table", what, get_args(Frame)))
        try:
            import pandas  # noqa: PLC0415 - an extra
        except ImportError:
            raise UserError("to_pandas needs pandas; install it with: pip install 'stressweb[pandas]'") from None
        return pandas.DataFrame(rows[what]())

    def export(self, to: str, folder: str | Path | None = None) -> Path:
        """Write results, episodes, steps and ledger as tables to a folder and return it.

        `to` is "csv", "jsonl" or "parquet"; or "inspect", for logs of Inspect AI, or "junit", for JUnit XML. The
        default folder is `export-csv` and so on in the run's folder. An earlier export is replaced; raises UserError
        for a folder with anything else.
        """
        # Checked before the format becomes part of the default folder's name.
        check_format(to)
        place = Path(folder) if folder is not None else self._located.beside(f"export-{to}")
        export(self.path, to, place, name=self._located.name)
        return place

    def bundle(self, path: str | Path | None = None, *, pictures: bool = True) -> Path:
        """Write an archive that others can check and regrade, and return its path.

        The default is a zip file with the run's name in the run's folder. Without `pictures`, screenshots are left out.
        Raises UserError if an episode was altered after recording, or if `path` is a file that is not a bundle.
        """
        output = Path(path) if path is not None else self._located.beside(f"{self._located.name}.zip")
        bundle(self.path, output, name=self._located.name, pictures=pictures)
        return output

    def table(self, *, width: int | None = None) -> str:
        """Return the table that `stressweb run` prints at its end, as text of `width` columns (default: 80)."""
        # Independent of the caller's terminal.
        console = Console(width=width or 80, no_color=True, force_terminal=False)
        with console.capture() as captured:
            console.print(summary(self._graded, unfinished=self.unfinished()))
        return captured.get()

    def grade(self, *, changed_alone: bool = False) -> dict[str, Any]:
        """Grade every episode again from the recording and store the grades.

        Returns a dictionary: `changed` lists the keys of the episodes whose grade changed; `altered` maps the keys of
        episodes altered after recording, which keep their grades, to the reason. Its key "run" describes an alteration
        of the whole run, such as a removed episode. With `changed_alone`, grades that the current checks have made are
        kept; `kept` is their number. These episodes are still checked for alterations.
        """
        with Store.open(self.path / FILE) as store:
            regraded = regrade(store, only_outdated=changed_alone)
        # Clears the `cached_property`, since the grades have just changed.
        self.__dict__.pop("_graded", None)
        altered = {**regraded.altered, **({"run": regraded.run_alteration} if regraded.run_alteration else {})}
        return {"changed": list(regraded.changed), "altered": altered, "kept": regraded.kept_count}

    def report(self, path: Path | None = None) -> Path:
        """Write the report as HTML and return its path; the default is `report.html` in the run's folder.

        The details of a large run go into a folder next to it.
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

    `name` is the folder in `runs_dir` (default: from date and conditions). With `resume`, the run of that name is
    continued: only missing episodes, and those with status error, run. `workers` is the number of workers, `in_flight`
    the number of episodes that each runs at a time (defaults: the experiment's, or what suits the machine). Workers are
    processes on this machine; with the backend "ray", on the machines of the Ray cluster at `address`, "HOST:PORT".
    `record_llm` is a file for recording exchanges with language models; `replay_llm` is a recorded file to replay
    without an endpoint. `listener` is notified of the progress.

    Raises UserError before the run starts if the experiment cannot be run. Episodes with status error raise nothing;
    `results` counts them.
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

    A bundle is checked first and not modified: its recording is unpacked into a temporary folder, which is removed with
    the object.
    """
    stack = ExitStack()
    place = stack.enter_context(locate_run(str(path), Path("runs")))
    try:
        opened = Run(place.folder, place)
    # Without a run, nothing else would remove the folder.
    except BaseException:
        stack.close()
        raise
    # A run has no `close`, so remove the folder when the run is garbage-collected or Python exits.
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
