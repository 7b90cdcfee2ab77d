"""`stressweb run --dry-run`: the plan, and what it can detect."""

import json
from collections.abc import Sequence
from pathlib import Path

from runner.commands.output import say
from runner.experiment.plan import Plan
from stressweb.core.conditions import UNTESTED
from stressweb.log.recording import Cell


def say_plan(plan: Plan, *, as_json: bool, existing: Path | None = None) -> None:
    """Print what would be run, and for people what it can detect.

    `existing` is a folder because of which the same command without --dry-run is refused.
    """
    if existing:
        said = "exists already: without --dry-run this command is refused; choose another name, or add --resume"
        say(f"stressweb: run {existing} {said}", err=True)
    cells = plan.cells()
    if as_json:
        say(json.dumps({"plan": plan.model_dump(), "cells": [cell.model_dump() for cell in cells]}, indent=2))
        return
    say(f"{len(cells)} episodes")
    for line in _power(cells):
        say(line)
    say()
    for cell in cells:
        stress = "" if cell.stress is None else f"  stress {cell.stress}"
        say(f"  {cell.task}  {cell.agent}  {cell.condition}  world {cell.world}{stress}  epoch {cell.epoch}")


def _power(cells: Sequence[Cell]) -> list[str]:
    """Say what the planned run of an agent can detect, and what it would take."""
    from stressweb.analysis.margin import margin_lines  # noqa: PLC0415 - needs scipy
    from stressweb.analysis.power import plan_lines  # noqa: PLC0415 - likewise

    agent = [cell for cell in cells if cell.agent == cells[0].agent]
    compared = {cell.condition for cell in agent} - set(UNTESTED)
    tasks = {cell.task for cell in agent}
    each = len([cell for cell in agent if cell.condition in compared]) // max(1, len(tasks) * len(compared))
    lines = plan_lines(len(tasks), each, len(compared))
    clean = len([cell for cell in agent if cell.condition == "clean"]) / max(1, len(tasks))
    margins = margin_lines(len(tasks), clean, each * len(compared))
    return [*lines, "", *margins] if lines and margins else lines
