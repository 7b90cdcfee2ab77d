"""What `stressweb list` prints."""

import json
from collections.abc import Mapping

from runner import inventory
from runner.commands.output import say
from runner.registry import broken
from stressweb.plugins.extensions import Kind


def show(what: str, *, as_json: bool) -> None:
    """Print sites, tasks, chains, modes, agents or observation sources, one a line."""
    kinds: Mapping[str, Kind] = {
        "tasks": "sites",
        "chains": "sites",
        "modes": "perturbations",
        "sites": "sites",
        "agents": "agents",
        "observations": "observations",
    }
    for one in broken():
        if one.kind == kinds[what]:
            say(f"left out: {one.reason}", err=True)
    lines = getattr(inventory, what)()
    if as_json:
        say(json.dumps(lines, indent=2))
        return
    for line in lines:
        # Padded where the words differ in length, so that what follows stands in a column.
        widths = {"difficulty": 6, "family": 10}
        pairs = ((key, _written(value)) for key, value in line.items())
        name, *rest = (f"{text:<{widths.get(key, 0)}}" for key, text in pairs)
        say("  ".join([f"{name:<28}", *rest]).rstrip())


def _written(value: object) -> str:
    """Write a value in one line; of a severity table, each parameter with its values from 1 to 5."""
    if isinstance(value, list):
        return ",".join(value) or "-"
    if not isinstance(value, Mapping):
        return str(value)
    names = value["1"].keys()
    return "; ".join(f"{name} at 1 to 5: {', '.join(str(row[name]) for row in value.values())}" for name in names)
