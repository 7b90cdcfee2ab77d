"""`stressweb run`: runs an experiment from the command line's options, and prints its progress and table."""

import sys
from collections.abc import Callable, Collection, Mapping
from typing import Any

from stressweb.core.browser_program import AS_ROOT, is_root
from stressweb.core.choices import FEW
from stressweb.core.errors import UserError
from stressweb.core.words import counted
from stressweb.log.plan import Plan, seeds
from stressweb.log.schedule import blocks
from stressweb.runner.api.start import OPTIONS, CarriedOut, Experiment, Place, carry_out, check_new, checked
from stressweb.runner.commands.output import say
from stressweb.runner.commands.progress import progress
from stressweb.runner.registry import Library
from stressweb.runner.registry.identity import plan_hash


def run_with(options: Mapping[str, Any], explicit_names: Collection[str]) -> int:
    """Run an experiment with the command line's options; `explicit_names` are the options that are not defaults.

    Returns 1 if an episode ended in error, else 0. Raises UserError before anything is written.
    """
    # Only on a terminal, so that logs do not repeat the warning for every run.
    if is_root() and sys.stderr.isatty() and not options["dry_run"]:
        say(f"stressweb: {AS_ROOT}", err=True)
    if options["agent_command"] and "agent" not in explicit_names:
        # Commands replace the default agents.
        options = {**options, "agent": None}
    return execute(lambda: experiment_of(options), place_of(options), explicit_names, options)


def place_of(options: Mapping[str, Any]) -> Place:
    """Return the place of the run: its folder, workers and backend."""
    return Place(
        name=options["name"],
        runs_dir=options["runs_dir"],
        resume=options["resume"],
        workers=options["workers"],
        in_flight=options["in_flight"],
        headed=options.get("headed", False),
        backend=options["backend"],
        address=options["address"],
        record_llm=options["record_llm"],
        replay_llm=options["replay_llm"],
    )


def execute(
    make: Callable[[], Experiment],
    place: Place,
    explicit_names: Collection[str] | None,
    options: Mapping[str, Any],
    *,
    report: bool = False,
) -> int:
    """Run the experiment that `make` returns and print its table; with the option `dry_run`, only its plan.

    With `report`, also write its report. A resumed run must have been started with the same values of the options in
    `explicit_names`; None means all that the experiment sets.
    """
    dry_run, as_json, verbose = options["dry_run"], options["as_json"], options["verbose"]
    if verbose and not dry_run:
        raise UserError("--verbose prints the episodes of a plan; use it with --dry-run")
    if not dry_run:
        check_new(place)
    with progress(quiet=as_json or dry_run) as tally:
        tally.phase("checking tasks, agents and conditions")
        experiment = make()
        library = Library()
        plan = checked(
            experiment, place, experiment.explicit_names if explicit_names is None else explicit_names, library
        )
        _check_hash(plan, library, options.get("expected"))
        if not dry_run:
            carried_out = carry_out(experiment, plan, place, library, tally)
    if dry_run:
        from stressweb.runner.commands.dry_run import say_plan  # noqa: PLC0415 - needs scipy

        say_plan(experiment, plan, place, library, as_json=as_json, verbose=verbose)
        return 0
    stopped = _stop_line(carried_out, plan) if carried_out.stopped else ""
    # On standard error, so that JSON stays JSON.
    if stopped:
        say(f"stressweb: {stopped}", err=True)
    from stressweb.runner.commands.outcome import show, show_report  # noqa: PLC0415 - needs scipy, and a run is long

    status = show(
        carried_out.folder,
        place.runs_dir,
        carried_out.errors,
        as_json=as_json,
        explain=options["explain"],
        extra_fields={"stopped": stopped} if stopped else None,
    )
    if report:
        show_report(carried_out.folder, as_json=as_json, explain=options["explain"])
    return status or int(bool(carried_out.unrun))


def _check_hash(plan: Plan, library: Library, expected: str | None) -> None:
    """Raise UserError if a plan differs from the one that --dry-run printed."""
    if expected and expected != (actual := plan_hash(library, plan)):
        changed = "its tasks, sites, modes, agents or settings have changed since"
        raise UserError(f"this is plan {actual}, not {expected}: {changed}; review it with --dry-run")


def _stop_line(carried_out: CarriedOut, plan: Plan) -> str:
    """Return a line about why a run ended early, and its incomplete blocks."""
    unfinished = list(map(str, blocks(carried_out.unrun, plan.epochs)))
    named = ", ".join(unfinished[:FEW]) + (f" and {len(unfinished) - FEW} more" if len(unfinished) > FEW else "")
    size = f"{counted(len(carried_out.unrun), 'episode')} in {counted(len(unfinished), 'block')}"
    unrun_note = f"; {size} were not run ({named})" if carried_out.unrun else ""
    resuming = f"continue with --resume --run {carried_out.folder.name}"
    return f"stopped: {carried_out.stopped}{unrun_note}; {carried_out.cure}, {resuming}"


def experiment_of(options: Mapping[str, Any]) -> Experiment:
    """Return the experiment of the options; raises UserError for invalid stress seeds."""
    return Experiment(**fields_of(options, options))


def fields_of(options: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    """Return the fields of an experiment that these options set; raises UserError for invalid stress seeds."""
    names_of_options = {option: name for name, option in OPTIONS.items()}
    entries = {names_of_options.get(name, name): options[name] for name in names if options.get(name) is not None}
    several = ("agents", "tasks", "exclude", "conditions", "seed")
    fields: dict[str, Any] = {name: (entry,) if name in several else entry for name, entry in entries.items()}
    if "stress_seeds" in fields:
        fields["stress_seeds"] = seeds(fields["stress_seeds"])
    return {name: field for name, field in fields.items() if name in Experiment.model_fields and name != "name"}
