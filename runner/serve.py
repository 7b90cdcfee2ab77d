"""A site under a condition, for anybody's browser."""

import json
import threading

import click

from runner.listing import Library, conditions, site_names
from stressweb.errors import UserError
from stressweb.keyed import Seeds


def serve(site: str, mode: str, seed: int, stress_seed: int, port: int, *, as_json: bool) -> int:
    """Serve until interrupted; the address is printed first. Raises UserError, for a port in use too."""
    found = conditions(mode)
    if len(found) != 1:
        raise UserError(f"mode {mode!r} is several conditions; serve shows one, joined by +")
    if site not in site_names():
        raise UserError(f"unknown site {site!r}; choose from {', '.join(site_names())}")
    from runner.world import World  # noqa: PLC0415 - mitmproxy takes seconds to import

    world = World()
    try:
        url = world.serve(Library().world(site, seed), found[0], Seeds(seed, stress_seed, f"{site}/serve"), port)
        said = {"url": url, "site": site, "condition": found[0].label, "seed": seed, "stress_seed": stress_seed}
        click.echo(json.dumps(said) if as_json else f"{site} under {found[0].label}: {url}  (Ctrl-C ends it)")
        _until_interrupted()
    finally:
        world.close()
    return 0


def _until_interrupted() -> None:
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        click.echo(err=True)
