"""`stressweb run`: an experiment from the command line's options, its progress, and the table that ends it."""

import os
import sys
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from runner.browser.install import AS_ROOT, is_root
from runner.commands.dry_run import say_plan
from runner.commands.output import say
from runner.commands.progress import progress
from runner.commands.show import show
from runner.experiment.experiment import Experiment
from runner.experiment.plan import seeds
from runner.experiment.start import Place, carry_out, checked
from runner.registry import Library


def run_with(options: Mapping[str, Any], given: Collection[str]) -> int:
    """Run what the options of the command line ask for; `given` are those that are not defaults.

    Returns 1 if an episode ended in error, else 0. Raises UserError before anything is made or changed.
    """
    if is_root() and sys.stderr.isatty() and not options["dry_run"]:
        say(f"stressweb: {AS_ROOT}", err=True)
    place = Place(options["name"], options["runs_dir"], options["resume"], options["workers"], options["headed"])
    with progress(quiet=options["as_json"] or options["dry_run"]) as tally:
        tally.phase("checking tasks, agents and conditions")
        experiment = experiment_of(options)
        library = Library()
        plan = checked(experiment, place, given, library)
        if not options["dry_run"]:
            folder, errors = carry_out(experiment, plan, place, library, tally)
    if options["dry_run"]:
        say_plan(plan, as_json=options["as_json"], existing=_existing(place))
        return 0
    return show(folder, options["runs_dir"], errors, as_json=options["as_json"], explain=options["explain"])


def experiment_of(options: Mapping[str, Any]) -> Experiment:
    """Return the experiment that the options state; raises UserError for stress seeds that are none."""
    same = ("seed", "epochs", "limit", "max_steps", "agent_seconds", "screenshots", "model", "base_url")
    return Experiment(
        agents=(options["agent"],),
        tasks=(options["task"],) if options["task"] else (),
        exclude=(options["exclude"],) if options["exclude"] else (),
        conditions=(options["mode"],),
        stress_seeds=seeds(options["stress_seeds"]),
        **{name: options[name] for name in same},
    )


def _existing(place: Place) -> Path | None:
    """Return the folder that stands in the way of a new run of the name that was given."""
    folder = place.runs_dir / (place.name or "")
    return folder if place.name and not place.resume and os.path.lexists(folder) else None
