"""Tasks walked without a browser, for the tests of every site's checkpoints."""

import importlib
from functools import cache

from stressweb.core.task_id import site_of
from stressweb.plugins.checks import Checklist, Grade, checklist
from stressweb.plugins.query import Run
from stressweb.plugins.task import Goal
from stressweb.sites import kit
from stressweb.walking.walker import Walker

SEEDS = range(20)
TASKS = {task.id: task for site in kit.names() for task in kit.tasks(site)}


@cache
def world(site: str, seed: int) -> kit.KitWorld:
    """Return a site at a seed."""
    return kit.load(site, seed)


@cache
def goal(task: str, seed: int) -> Goal:
    """Return a task's goal at a seed."""
    return TASKS[task].goal(world(TASKS[task].site, seed))


@cache
def checks(site: str) -> Checklist:
    """Return the checkpoints of a site's tasks."""
    return checklist([importlib.import_module(f"stressweb.checkpoints.{site}")])


def walker(goal: Goal) -> Walker:
    """Return a walker at the first page of a goal's world."""
    return Walker(world(site_of(goal.task), goal.world_seed), offers=goal.offers)


def grade(run: Run, goal: Goal) -> Grade:
    """Return what a run achieved."""
    return checks(site_of(goal.task)).grade(run, goal)
