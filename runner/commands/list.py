"""What `stressweb list` prints."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from runner.commands import list_cases
from runner.commands.case_files import Export
from runner.commands.output import say
from runner.registry import broken, check_site, inventory
from stressweb.core.errors import UserError

KINDS: Mapping[str, str] = {
    "sites": "sites",
    "tasks": "sites",
    "chains": "sites",
    "cases": "sites",
    "modes": "perturbations",
    "agents": "agents",
    "observations": "observations",
}
"""What can be listed, and the kind of plug-ins that add to it."""
_HEADINGS = {
    "about": "what it is",
    "does": "what it does",
    "horizon": "length",
    "reads": "what it reads",
    "severities": "parameters at severities 1 to 5",
}
"""The headings of columns that are not called as programs call them."""
OF_A_SITE = ("tasks", "chains", "cases")
"""What is listed for one site."""


def show(
    what: str,
    site: str | None = None,
    output: Path | None = None,
    seed: int = 0,
    *,
    pinata: bool = False,
    as_json: bool,
) -> None:
    """Print sites, tasks, chains, test cases, modes, agents or observation sources, one a line below a heading.

    `site` is the site whose tasks, chains or test cases are listed; chains of several sites are listed for each of
    them, and test cases one by one. With `output` test cases are written to that file instead, in the words of the
    world `seed`. Raises UserError for an unknown site, for a site of what belongs to none, and for a file of anything
    but cases.
    """
    if site is not None and what not in OF_A_SITE:
        raise UserError(f"--site belongs to {', '.join(f'`list {kind}`' for kind in OF_A_SITE)}, not to `list {what}`")
    if output is not None and what != "cases":
        raise UserError(f"--output belongs to `list cases`, not to `list {what}`")
    if site is not None:
        check_site(site)
    for plug_in in broken():
        if plug_in.group == KINDS[what]:
            say(f"left out: {plug_in.reason}", err=True)
    if pinata and output is None:
        raise UserError("--pinata says how a file is written; name it by --output FILE.csv")
    if output is not None:
        Export(output, seed, pinata=pinata).write(site)
        return
    entries = list_cases.lines(site) if what == "cases" else _entries(what, site)
    if as_json:
        say(json.dumps(entries, indent=2))
        return
    for line in _lines(entries):
        say(line)


def _entries(what: str, site: str | None) -> list[inventory.Line]:
    if what == "tasks":
        return inventory.tasks(site)
    return inventory.chains(site) if what == "chains" else getattr(inventory, what)()


def _lines(entries: Sequence[inventory.Line]) -> Iterator[str]:
    """Yield the heading and a line for each entry, the columns below each other."""
    # Nothing may be there to list, and then there is nothing to name the columns after.
    names = list(entries[0]) if entries else []
    rows = [
        [_HEADINGS.get(name, name) for name in names],
        *([_written(entry[name]) for name in names] for entry in entries),
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(len(names))]
    for row in rows:
        yield "  ".join(f"{text:<{width}}" for text, width in zip(row, widths, strict=True)).rstrip()


def _written(value: object) -> str:
    """Write a value in one line; of a severity table, each parameter with its values from 1 to 5."""
    if isinstance(value, list):
        return ",".join(value) or "-"
    if not isinstance(value, Mapping):
        return "-" if value is None else str(value)
    names = value["1"].keys()
    return "; ".join(f"{name} {', '.join(str(row[name]) for row in value.values())}" for name in names)
