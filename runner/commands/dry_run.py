"""`--dry-run`: prints a plan, its time and cost, its exposure, and the smallest loss that it can detect."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence

from stressweb.analysis.margin import margin_lines
from stressweb.analysis.power import plan_lines
from stressweb.core.conditions import UNTESTED
from stressweb.core.words import counted
from stressweb.log.plan import Plan
from stressweb.log.recording import Cell
from stressweb.log.schedule import blocks
from stressweb.runner.api.forecast import Expected, Exposure, forecast
from stressweb.runner.api.start import Experiment, Lanes, Place
from stressweb.runner.commands.output import say
from stressweb.runner.registry import Library
from stressweb.runner.registry.identity import plan_hash


def say_plan(
    experiment: Experiment, plan: Plan, place: Place, library: Library, *, as_json: bool, verbose: bool = False
) -> None:
    """Print the plan as JSON, or its size, time, cost and the smallest loss that it can detect.

    With `verbose`, print the episodes first.
    """
    folder = place.runs_dir / (place.name or "")
    # `lexists`, since a broken link also occupies the name.
    if place.name and not place.resume and os.path.lexists(folder):
        message = "exists already, so this command would fail without --dry-run; choose another name, or add --resume"
        say(f"stressweb: run {folder} {message}", err=True)
    lanes, duration, exposure = forecast(experiment, plan, place, library)
    cells = plan.cells()
    if as_json:
        plan_fields = {
            "hash": plan_hash(library, plan),
            "plan": plan.model_dump(),
            "expected": duration and vars(duration),
        }
        exposure_by_label = {label: vars(label_exposure) for label, label_exposure in exposure.items()}
        cell_dicts = [cell.model_dump() for cell in cells]
        say(json.dumps({**plan_fields, "exposure": exposure_by_label, "cells": cell_dicts}, indent=2, default=str))
        return
    if verbose:
        for cell in cells:
            stress = "" if cell.stress is None else f"  stress {cell.stress}"
            say(f"  {cell.task}  {cell.agent}  {cell.condition}  world {cell.world}{stress}  epoch {cell.epoch}")
        say()
    size = f"{counted(len(cells), 'episode')} in {counted(len(blocks(cells, plan.epochs)), 'block')}"
    say(f"{size}, plan {plan_hash(library, plan)}")
    for line in (*_estimate_lines(duration, lanes), *_exposure_lines(exposure), *_power(cells, library)):
        say(line)
    if not verbose:
        say("Use --verbose to list the episodes, or --json to print the whole plan")


def _estimate_lines(expected: Expected | None, lanes: Lanes) -> Iterator[str]:
    """Yield lines about the time and cost of the plan, estimated from earlier runs."""
    if expected is None:
        yield "Time: unknown, because this folder has no earlier run of these agents or tasks"
        return
    basis = f"from {counted(expected.episodes, 'episode')} of earlier runs"
    unknown = expected.cells - expected.known
    basis += f"; no earlier run had the agent and task of {unknown} of these {expected.cells}" if unknown else ""
    yield f"Time: about {_duration(expected.seconds / (lanes.workers * lanes.in_flight))} with {lanes} ({basis})"
    if expected.tokens:
        cost = f", {expected.usd:.2f} USD" if expected.usd else ""
        yield f"Cost: about {expected.tokens:,.0f} tokens{cost}"


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _exposure_lines(exposure_by_label: Mapping[str, Exposure]) -> Iterator[str]:
    """Yield lines about the number of tasks that meet each condition on the reference trajectory."""
    if not any(exposure.known for exposure in exposure_by_label.values()):
        return
    yield "Exposure on the reference trajectory (for tasks that an earlier run recorded under clean):"
    for label, exposure in exposure_by_label.items():
        yield f"  {label:<24}  {exposure.met} of {exposure.known}" + (
            f", {exposure.tasks - exposure.known} unknown" if exposure.known < exposure.tasks else ""
        )


def _power(cells: Sequence[Cell], library: Library) -> list[str]:
    """Return lines about the smallest loss that the plan can detect for an agent."""
    # All agents have the same cells, so the first one represents all.
    agent = [cell for cell in cells if cell.agent == cells[0].agent]
    compared = {cell.condition for cell in agent} - set(UNTESTED)
    tasks = {cell.task for cell in agent}
    each = len([cell for cell in agent if cell.condition in compared]) // max(1, len(tasks) * len(compared))
    families = library.families(tasks)
    lines = plan_lines(len(tasks), each, len(compared), families)
    clean = len([cell for cell in agent if cell.condition == "clean"]) / max(1, len(tasks))
    margins = margin_lines(len(tasks), clean, each * len(compared), families)
    return [*lines, "", *margins] if lines and margins else lines
