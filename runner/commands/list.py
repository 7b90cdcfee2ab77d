"""`stressweb list`: prints what is available."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from stressweb.core.errors import UserError
from stressweb.runner.commands import list_cases
from stressweb.runner.commands.case_files import Export
from stressweb.runner.commands.output import say
from stressweb.runner.registry import broken, check_site, inventory

KINDS: Mapping[str, str] = {
    "sites": "sites",
    "tasks": "sites",
    "chains": "sites",
    "cases": "sites",
    "modes": "perturbations",
    "agents": "agents",
    "observations": "observations",
}
"""Kinds of lists, each with the group of plug-ins that extend it."""
_HEADINGS = {
    "about": "what it is",
    "does": "what it does",
    "horizon": "length",
    "reads": "what it reads",
    "severities": "parameters at severities 1 to 5",
}
"""Headings that differ from the names in JSON."""
OF_A_SITE = ("tasks", "chains", "cases")
"""Kinds that can be listed for a single site."""


def show(
    kind: str,
    site: str | None = None,
    output: Path | None = None,
    seed: int = 0,
    *,
    pinata: bool = False,
    as_json: bool,
) -> None:
    """Print sites, tasks, chains, test cases, modes, agents or observation sources, one per line below a heading.

    `site` limits tasks, chains or test cases to one site; chains of several sites belong to each of them, and test
    cases are listed one by one. With `output`, test cases are written to that file instead, in the wording of the world
    `seed`. Raises UserError for an unknown site, for `site` with a kind that does not belong to sites, and for `output`
    with any other kind than test cases.
    """
    if site is not None and kind not in OF_A_SITE:
        raise UserError(f"--site belongs to {', '.join(f'`list {name}`' for name in OF_A_SITE)}, not to `list {kind}`")
    if output is not None and kind != "cases":
        raise UserError(f"--output belongs to `list cases`, not to `list {kind}`")
    if site is not None:
        check_site(site)
    for plug_in in broken():
        if plug_in.group == KINDS[kind]:
            say(f"left out: {plug_in.reason}", err=True)
    if pinata and output is None:
        raise UserError("--pinata needs a file; add --output FILE.csv")
    if output is not None:
        Export(output, seed, pinata=pinata).write(site)
        return
    entries = list_cases.lines(site) if kind == "cases" else _entries(kind, site)
    if as_json:
        say(json.dumps(entries, indent=2))
        return
    for line in _lines(entries):
        say(line)


def _entries(kind: str, site: str | None) -> list[inventory.Line]:
    if kind == "tasks":
        return inventory.list_tasks(site)
    return inventory.list_chains(site) if kind == "chains" else getattr(inventory, f"list_{kind}")()


def _lines(entries: Sequence[inventory.Line]) -> Iterator[str]:
    """Yield the heading and a line for each entry, with aligned columns."""
    # The first entry has the column names.
    names = list(entries[0]) if entries else []
    rows = [
        [_HEADINGS.get(name, name) for name in names],
        *([_written(entry[name]) for name in names] for entry in entries),
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(len(names))]
    for row in rows:
        yield "  ".join(f"{text:<{width}}" for text, width in zip(row, widths, strict=True)).rstrip()


def _written(field: object) -> str:
    """Format a field on one line; a severity table becomes each parameter with its values at severities 1 to 5."""
    if isinstance(field, list):
        return ",".join(field) or "-"
    if not isinstance(field, Mapping):
        return "-" if field is None else str(field)
    names = field["1"].keys()
    return "; ".join(f"{name} {', '.join(str(row[name]) for row in field.values())}" for name in names)
