"""A site under a condition, for anybody's browser."""

import gc
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from runner.commands.opening import open_page
from runner.commands.output import say
from runner.registry import Library, check_site, chosen_tasks, conditions, task_ids
from stressweb.core.conditions import Condition
from stressweb.core.draws import Seeds
from stressweb.core.errors import UserError
from stressweb.core.task_id import site_of


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
    """Serve until interrupted; the address is printed first.

    `task` is the task whose draws are used: they are then those of a run of that task with the same seeds. Raises
    UserError for an unknown or contradictory option, and for a port in use.
    """
    with _uncollected():
        condition, about = _condition(mode), served(site, task)
        where = site_of(about)
        check_port(port)
        if not as_json:
            say(f"stressweb: starting {where} under {condition.label}", err=True)
        from runner.world.serve_site import reset_page, serve_site  # noqa: PLC0415 - mitmproxy is slow to import
        from runner.world.world import World  # noqa: PLC0415 - mitmproxy is slow to import

        library, world = Library(), World()
        try:
            goal = library.goal(about, seed).text
            drawn = library.world(where, seed)
            seeds = Seeds(seed, stress_seed, about)
            url = serve_site(world, drawn, condition, seeds, port, overlay=overlay)
        except BaseException:
            world.close()
            raise
    try:
        _announce(url, reset_page(url), where, condition, seeds, goal, overlay=overlay, as_json=as_json)
        if open_it:
            open_page(url)
        until_interrupted()
    finally:
        world.close()
    return 0


@contextmanager
def _uncollected() -> Iterator[None]:
    """Look for no garbage meanwhile: nearly all that a start allocates stays, and looking takes a tenth of it."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _condition(mode: str) -> Condition:
    """Return the condition that is named; raises UserError for several."""
    listed = conditions(mode)
    if len(listed) != 1:
        raise UserError(f"mode {mode!r} lists several conditions, and serve shows one; join modes by +, not by commas")
    return listed[0]


def _announce(
    url: str, reset: str, site: str, condition: Condition, seeds: Seeds, goal: str, *, overlay: bool, as_json: bool
) -> None:
    """Print the address, and what can be done there."""
    label = condition.label
    if as_json:
        fields = {"url": url, "reset": reset, "site": site, "condition": label}
        say(json.dumps({**fields, "seed": seeds.world, "stress_seed": seeds.stress, "task": seeds.task, "goal": goal}))
        return
    say(f"{site} under {label}, disturbed as in task {seeds.task}: {url}  (press Ctrl-C to stop)\ngoal: {goal}")
    say(f"open {reset} to reset the site", err=True)
    if not overlay:
        say("--overlay shows below the page what happens to each click and entry", err=True)


def served(site: str | None, task: str | None) -> str:
    """Return the id of the task whose draws a site is served with: the one that is named, or the site's first.

    Without a site and a task it is the first task of the shop. Raises UserError for an unknown site or task, for
    several tasks, and for a task of another site.
    """
    if site is not None:
        check_site(site)
    if not task:
        return next(one for one in task_ids() if site_of(one) == (site or "shop"))
    named = chosen_tasks(task)
    if len(named) != 1:
        raise UserError(f"task {task!r} is {len(named)} tasks, and serve takes one")
    if site is not None and site_of(named[0]) != site:
        raise UserError(
            f"task {named[0]} belongs to another site than {site}; omit the site, or choose one of its tasks"
        )
    return named[0]


def check_port(port: int, address: str = "127.0.0.1") -> None:
    """Raise UserError for a port of an address that is in use, before anything takes time; 0 stands for a free one."""
    try:
        # As the proxy does it: a port that was in use a moment ago can be taken at once.
        socket.create_server((address, port)).close()
    except OSError:
        raise UserError(f"port {port} cannot be opened; choose another, or 0 for a free one") from None


def serve_pages(url: str, what: str, folder: Path, *, open_it: bool, as_json: bool) -> None:
    """Print the address at which pages about a folder are served, open it if asked, and wait for Ctrl-C."""
    if as_json:
        say(json.dumps({"url": url, "folder": str(folder)}))
    else:
        say(f"{what}: {url}  (press Ctrl-C to stop)")
        if not open_it:
            say("open this address in your browser, or let --open do so", err=True)
    if open_it:
        open_page(url)
    until_interrupted()


def until_interrupted() -> None:
    """Wait for Ctrl-C, and end the line on which the terminal shows it."""
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        say(err=True)
