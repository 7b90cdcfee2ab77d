"""`stressweb run`: an experiment from the command line's options, its progress, and the table that ends it."""

import sys
from collections.abc import Callable, Collection, Mapping
from typing import Any

from runner.api.start import OPTIONS, CarriedOut, Experiment, Place, carry_out, checked
from runner.commands.output import say
from runner.commands.progress import progress
from runner.registry import Library
from runner.registry.identity import plan_hash
from stressweb.core.browser_program import AS_ROOT, is_root
from stressweb.core.choices import FEW
from stressweb.core.errors import UserError
from stressweb.core.words import counted
from stressweb.log.plan import Plan, seeds
from stressweb.log.schedule import blocks


def run_with(options: Mapping[str, Any], given: Collection[str]) -> int:
    """Run what the options of the command line ask for; `given` are those that are not defaults.

    Returns 1 if an episode ended in error, else 0. Raises UserError before anything is made or changed.
    """
    # Only on a terminal: in a log or a build the warning would be repeated with every run.
    if is_root() and sys.stderr.isatty() and not options["dry_run"]:
        say(f"stressweb: {AS_ROOT}", err=True)
    if options["agent_command"] and "agent" not in given:
        # Commands stand in place of the agents that run by default.
        options = {**options, "agent": None}
    return execute(lambda: experiment_of(options), place_of(options), given, options)


def place_of(options: Mapping[str, Any]) -> Place:
    """Return where the options have a run kept, and who carries it out."""
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
    given: Collection[str] | None,
    options: Mapping[str, Any],
    *,
    report: bool = False,
) -> int:
    """Run the experiment that `make` returns, or say its plan; print its table, and write its report if asked.

    `given` are the options that a continued run must have been made with; None: all that the experiment states itself.
    """
    dry_run, as_json, verbose = options["dry_run"], options["as_json"], options["verbose"]
    if verbose and not dry_run:
        raise UserError("--verbose prints the episodes of a plan: give it with --dry-run")
    with progress(quiet=as_json or dry_run) as tally:
        tally.phase("checking tasks, agents and conditions")
        experiment = make()
        library = Library()
        plan = checked(experiment, place, experiment.given if given is None else given, library)
        _check_hash(plan, library, options.get("expected"))
        if not dry_run:
            done = carry_out(experiment, plan, place, library, tally)
    if dry_run:
        from runner.commands.dry_run import say_plan  # noqa: PLC0415 - needs scipy

        say_plan(experiment, plan, place, library, as_json=as_json, verbose=verbose)
        return 0
    stopped = _stopped(done, plan) if done.stopped else ""
    # On standard error, so that JSON stays JSON.
    if stopped:
        say(f"stressweb: {stopped}", err=True)
    from runner.commands.outcome import show, show_report  # noqa: PLC0415 - needs scipy, and a run is long

    status = show(
        done.folder,
        place.runs_dir,
        done.errors,
        as_json=as_json,
        explain=options["explain"],
        again={"stopped": stopped} if stopped else None,
    )
    if report:
        show_report(done.folder, as_json=as_json, explain=options["explain"])
    return status or int(bool(done.unrun))


def _check_hash(plan: Plan, library: Library, expected: str | None) -> None:
    """Raise UserError if a plan is not the one that the user was shown."""
    if expected and expected != (found := plan_hash(library, plan)):
        changed = "its tasks, sites, modes, agents or settings have changed since"
        raise UserError(f"this is plan {found}, not {expected}: {changed}; look at it again with --dry-run")


def _stopped(done: CarriedOut, plan: Plan) -> str:
    """Say in one line why a run ended early, and which of its blocks are not whole."""
    unfinished = list(map(str, blocks(done.unrun, plan.epochs)))
    named = ", ".join(unfinished[:FEW]) + (f" and {len(unfinished) - FEW} more" if len(unfinished) > FEW else "")
    size = f"{counted(len(done.unrun), 'episode')} in {counted(len(unfinished), 'block')}"
    left = f"; {size} were not run ({named})" if done.unrun else ""
    return f"stopped: {done.stopped}{left}; {done.cure}, continue with --resume --run {done.folder.name}"


def experiment_of(options: Mapping[str, Any]) -> Experiment:
    """Return the experiment that the options state; raises UserError for stress seeds that are none."""
    return Experiment(**fields_of(options, options))


def fields_of(options: Mapping[str, Any], given: Collection[str]) -> dict[str, Any]:
    """Return the fields of an experiment that the given options state; raises UserError for seeds that are none."""
    fields = {option: name for name, option in OPTIONS.items()}
    found = {fields.get(name, name): options[name] for name in given if options.get(name) is not None}
    several = ("agents", "tasks", "exclude", "conditions", "seed")
    found = {name: (value,) if name in several else value for name, value in found.items()}
    if "stress_seeds" in found:
        found["stress_seeds"] = seeds(found["stress_seeds"])
    return {name: value for name, value in found.items() if name in Experiment.model_fields and name != "name"}
