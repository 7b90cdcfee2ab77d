"""`stressweb grade`: grade a recorded run again, offline, and show its table."""

from pathlib import Path

from runner.api.read import locate_run
from runner.api.share import Regraded, regrade
from runner.commands.output import say
from runner.commands.show import show
from runner.registry import Library
from runner.registry.identity import changed
from stressweb.analysis.tester_figures import errors_as_fail
from stressweb.core.errors import UserError
from stressweb.core.words import counted
from stressweb.log.store import FILE, Store


def grade_again(
    name: str,
    runs_dir: Path,
    *,
    as_json: bool,
    explain: bool = False,
    changed_alone: bool = False,
    without_verdict_fails: bool = False,
) -> int:
    """Grade a run again from its recording and show its table without what was changed after it was recorded.

    The run is given by name, by folder or by its bundle, which is checked first and stays as it is. With
    `changed_alone` grades are kept that were made by what would make them now, and it is said how many. With
    `without_verdict_fails` a test case without a verdict is shown as one that is said to fail.
    A task that has changed since the run is named on standard error, with what has changed. Returns 1 if a grade
    changed, or if an episode or the run as a whole is not what was recorded, else 0.
    """
    library = Library()
    with locate_run(name, runs_dir) as run:
        with Store.open(run.folder / FILE) as store:
            recorded = store.meta().get("parts", {})
            # The run may be a stranger's, in which this can be anything.
            if not isinstance(recorded, dict):
                raise UserError(f"{store.path} holds what stressweb does not record: parts is no object")
            for task, what in changed(recorded, library, store.cells()).items():
                say(f"graded with today's checks; task {task} has changed since the run: {', '.join(what)}", err=True)
            again = regrade(store, library, graded=True, changed_alone=changed_alone)
        _say(again, changed_alone=changed_alone)
        said = {
            "regraded": len(again.changed),
            "altered": list(again.altered),
            "misfit": again.misfit,
            "kept": again.kept,
        }
        show(
            run.folder,
            runs_dir,
            0,
            as_json=as_json,
            explain=explain,
            again=said,
            shown=run.display_path,
            episodes=errors_as_fail(again.graded) if without_verdict_fails else again.graded,
        )
        return 1 if again.changed or again.altered or again.misfit else 0


def _say(again: Regraded, *, changed_alone: bool) -> None:
    """Say on standard error what grading again found."""
    if changed_alone:
        again_now = len(again.graded) - again.kept
        say(f"graded again: {counted(again_now, 'episode')}; kept the grades of {again.kept}", err=True)
    for key in again.changed:
        say(f"grade changed: {key}", err=True)
    for key, misfit in again.altered.items():
        say(f"changed after it was recorded, left out: {key}: {misfit}", err=True)
    if again.misfit:
        say(f"changed after it was recorded: {again.misfit}", err=True)
