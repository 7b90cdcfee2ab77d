"""Short notes without sections, as people type them between two meetings."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from stressweb.core.entity import Entity
from stressweb.core.yaml_models import load
from stressweb.sites.kit import Drawing
from stressweb.sites.notes.document_texts import Text, Topic, fill_template

type Values = dict[str, Any]

_SHARE = 0.3
"""Share of short notes among documents in folders that some of them fit into."""


@cache
def _jottings() -> Sequence[Values]:
    rows: list[Values] = load(Path(__file__).with_name("corpora") / "jottings.yaml")
    return rows


class Jottings:
    """Draws short notes; none comes twice."""

    def __init__(self, drawing: Drawing) -> None:
        self._drawing = drawing
        self._left = drawing.shuffled(_jottings(), "jottings")

    def draw(self, trail: Sequence[Entity], topic: Topic, *key: Any) -> Text | None:
        """Return a note that fits the folder at the end of a trail; most often None, and always if none is left."""
        # What lies in a workspace itself may be about anything.
        fitting = [row for row in self._left if not trail[1:] or trail[1].name in row["in"]]
        if not fitting or self._drawing.unit(*key, "jotting") >= _SHARE:
            return None
        row = fitting[0]
        self._left.remove(row)
        texts = [row["title"], row["text"], row.get("end", ""), *row.get("points", ())]
        # The same key for all texts, so that title and text name the same person and day.
        name, opening, end, *points = (fill_template(self._drawing, text, topic, *key) for text in texts)
        paragraphs = (opening, "\n".join(f"- {point}" for point in points), end)
        return Text(name, [*filter(None, paragraphs)], None)
