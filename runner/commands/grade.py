"""`stressweb grade`: grades a recorded run again, offline, and prints its table."""

from pathlib import Path

from stressweb.analysis.tester_figures import missing_verdicts_as_fails
from stressweb.core.errors import UserError
from stressweb.core.words import counted
from stressweb.log.store import FILE, Store
from stressweb.runner.api.read import locate_run
from stressweb.runner.api.share import Regraded, regrade
from stressweb.runner.commands.output import say
from stressweb.runner.commands.show import show
from stressweb.runner.registry import Library
from stressweb.runner.registry.identity import changed


def grade_again(
    name: str,
    runs_dir: Path,
    *,
    as_json: bool,
    explain: bool = False,
    changed_alone: bool = False,
    missing_verdict_fails: bool = False,
) -> int:
    """Grade a run again from its recording and print its table, without episodes altered after recording.

    `name` is a run's name, folder or bundle; a bundle is checked first and not modified. With `changed_alone`, the
    grades that the current checks have made are kept, and their number is printed. With `missing_verdict_fails`, a test
    case without a verdict counts as a verdict of failure. Tasks that have changed since the run are reported on
    standard error. Returns 1 if a grade changed, or if an episode or the whole run was altered after recording, else 0.
    """
    library = Library()
    with locate_run(name, runs_dir) as run:
        with Store.open(run.folder / FILE) as store:
            recorded = store.meta().get("parts", {})
            # An untrusted recording can contain any value.
            if not isinstance(recorded, dict):
                raise UserError(f"{store.path} has invalid metadata: parts is not an object")
            for task, changed_parts in changed(recorded, library, store.cells()).items():
                say(
                    f"graded with today's checks; task {task} has changed since the run: {', '.join(changed_parts)}",
                    err=True,
                )
            regraded = regrade(store, library, graded=True, only_outdated=changed_alone)
        _say(regraded, changed_alone=changed_alone)
        fields = {
            "regraded": len(regraded.changed),
            "altered": list(regraded.altered),
            "misfit": regraded.run_alteration,
            "kept": regraded.kept_count,
        }
        show(
            run.folder,
            runs_dir,
            0,
            as_json=as_json,
            explain=explain,
            extra_fields=fields,
            display_path=run.display_path,
            episodes=missing_verdicts_as_fails(regraded.graded) if missing_verdict_fails else regraded.graded,
        )
        return 1 if regraded.changed or regraded.altered or regraded.run_alteration else 0


def _say(regraded: Regraded, *, changed_alone: bool) -> None:
    """Print changed grades and altered episodes on standard error."""
    if changed_alone:
        again_now = len(regraded.graded) - regraded.kept_count
        say(f"graded again: {counted(again_now, 'episode')}; kept the grades of {regraded.kept_count}", err=True)
    for key in regraded.changed:
        say(f"grade changed: {key}", err=True)
    for key, alteration in regraded.altered.items():
        say(f"changed after it was recorded, left out: {key}: {alteration}", err=True)
    if regraded.run_alteration:
        say(f"changed after it was recorded: {regraded.run_alteration}", err=True)
