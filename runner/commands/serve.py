"""`stressweb serve`: serves a site under a condition for the user's own browser."""

import json
import socket
import threading
from pathlib import Path

from stressweb.core.conditions import Condition
from stressweb.core.draws import Seeds
from stressweb.core.errors import UserError
from stressweb.core.task_id import site_of
from stressweb.runner.commands.opening import open_page
from stressweb.runner.commands.output import say
from stressweb.runner.registry import Library, check_site, chosen_tasks, conditions, task_ids


def serve(
    site: str | None,
    mode: str,
    task: str | None,
    seed: int,
    stress_seed: int,
    port: int,
    *,
    overlay: bool = False,
    open_it: bool = False,
    as_json: bool = False,
) -> int:
    """Print the address and serve until interrupted.

    The disturbances are those of a run of `task` with the same seeds. Raises UserError for an unknown or contradictory
    option, and for a port in use.
    """
    condition, task_id = _condition(mode), served(site, task)
    site_id = site_of(task_id)
    check_port(port)
    if not as_json:
        say(f"stressweb: starting {site_id} under {condition.label}", err=True)
    from stressweb.runner.world.serve_site import reset_page, serve_site  # noqa: PLC0415 - mitmproxy is slow to import
    from stressweb.runner.world.world import World  # noqa: PLC0415 - mitmproxy is slow to import

    library, world = Library(), World()
    try:
        goal = library.goal(task_id, seed).text
        site_world = library.world(site_id, seed)
        seeds = Seeds(seed, stress_seed, task_id)
        url = serve_site(world, site_world, condition, seeds, port, with_effects_log=overlay)
    except BaseException:
        world.close()
        raise
    try:
        _announce(url, reset_page(url), site_id, condition, seeds, goal, overlay=overlay, as_json=as_json)
        if open_it:
            open_page(url)
        until_interrupted()
    finally:
        world.close()
    return 0


def _condition(mode: str) -> Condition:
    """Return the condition; raises UserError if there are several."""
    parsed_conditions = conditions(mode)
    if len(parsed_conditions) != 1:
        raise UserError(f"mode {mode!r} has several conditions, and serve takes one; combine modes with +, not commas")
    return parsed_conditions[0]


def _announce(
    url: str, reset: str, site: str, condition: Condition, seeds: Seeds, goal: str, *, overlay: bool, as_json: bool
) -> None:
    """Print the address, the goal, and how to reset the site."""
    label = condition.label
    if as_json:
        fields = {"url": url, "reset": reset, "site": site, "condition": label}
        say(json.dumps({**fields, "seed": seeds.world, "stress_seed": seeds.stress, "task": seeds.task, "goal": goal}))
        return
    say(f"{site} under {label}, disturbed as in task {seeds.task}: {url}  (press Ctrl-C to stop)\ngoal: {goal}")
    say(f"open {reset} to reset the site", err=True)
    if not overlay:
        say("use --overlay to show what happens to each click and entry", err=True)


def served(site: str | None, task: str | None) -> str:
    """Return the id of the task whose disturbances apply: `task`, or the first task of the site or of the shop.

    Raises UserError for an unknown site or task, for several tasks, and for a task of another site.
    """
    if site is not None:
        check_site(site)
    if not task:
        return next(task_id for task_id in task_ids() if site_of(task_id) == (site or "shop"))
    named = chosen_tasks(task)
    if len(named) != 1:
        raise UserError(f"task {task!r} matches {len(named)} tasks, and serve takes one")
    if site is not None and site_of(named[0]) != site:
        raise UserError(
            f"task {named[0]} belongs to another site than {site}; omit the site, or choose one of its tasks"
        )
    return named[0]


def check_port(port: int, address: str = "127.0.0.1") -> None:
    """Raise UserError if a port is in use; 0 means any free port."""
    try:
        # Opened like the proxy's, so that a port that has just been closed counts as free.
        socket.create_server((address, port)).close()
    except OSError:
        raise UserError(f"port {port} cannot be opened; choose another, or 0 for a free one") from None


def serve_pages(url: str, label: str, folder: Path, *, open_it: bool, as_json: bool) -> None:
    """Print the address of pages, open it if `open_it`, and wait for Ctrl-C."""
    if as_json:
        say(json.dumps({"url": url, "folder": str(folder)}))
    else:
        say(f"{label}: {url}  (press Ctrl-C to stop)")
        if not open_it:
            say("open this address in your browser, or use --open", err=True)
    if open_it:
        open_page(url)
    until_interrupted()


def until_interrupted() -> None:
    """Wait for Ctrl-C, and end the line in which the terminal echoes it."""
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        say(err=True)
