"""The shipped JSON Schemas: for experiment files, sites and tasks."""

from collections.abc import Mapping
from pathlib import Path

from scripts.docs.markers import ROOT
from stressweb.runner.commands.schema import text_of

PATHS: Mapping[str, Path] = {
    "experiment": ROOT / "experiments" / "schema.json",
    "site": ROOT / "sites" / "kit" / "schemas" / "site.json",
    "tasks": ROOT / "sites" / "kit" / "schemas" / "tasks.json",
}


def schema(kind: str) -> str:
    """Return a schema as text, with the widgets, parts and fields of all shipped sites."""
    return text_of(kind)


def write() -> None:
    """Write all schemas."""
    for kind, path in PATHS.items():
        path.write_text(schema(kind), encoding="utf-8")
