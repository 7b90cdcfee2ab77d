"""How people write: each author has a voice, which is heard in all posts of the author."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from stressweb.core.entity import Entity
from stressweb.sites.kit import Drawing
from stressweb.sites.network.plan import me
from stressweb.sites.network.trades import Values, corpus

_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_GRAVE = frozenset({"Safety", "NewChapter"})
"""Topics whose posts have no smile: near misses and farewells."""


def voice(drawing: Drawing, author: Entity) -> Mapping[str, Any]:
    """Return the voice of an author; the world's own person writes plainly."""
    voices: list[Mapping[str, Any]] = corpus("voices")["voices"]
    return {} if author.id == me(drawing).id else drawing.pick(voices, "voice", author.id)


def spoken(drawing: Drawing, author: Entity, post: Values, topic: str, fill: Callable[[str], str]) -> Values:
    """Return the columns of a post in the voice of its author; `fill` fills the words of the post into a template."""
    manner, hook, text, key = voice(drawing, author), post["hook"], post["text"], post["hook"]
    columns: Values = {}
    if "opens" in manner:
        hook = f"{fill(drawing.pick(manner['opens'], 'opens', key))} {hook}"
    if manner.get("brief"):
        text = _SENTENCE.split(text)[0]
        # Comments and shares of the story could be about the sentences that are left out.
        columns = {"answers": [], "echoes": corpus("posts")["shares"]}
    if manner.get("asks") and not text.endswith("?"):
        text = f"{text} {drawing.pick(corpus('voices')['questions'][topic], 'asks', key)}"
    if topic not in _GRAVE:
        text = _cheered(drawing, manner, text, fill, key)
    return {**post, **columns, "hook": hook, "text": text}


def _cheered(drawing: Drawing, manner: Mapping[str, Any], text: str, fill: Callable[[str], str], key: str) -> str:
    """Return a text with the closing words, the exclamation mark and the smile of a voice."""
    if "closes" in manner:
        text = f"{text} {fill(drawing.pick(manner['closes'], 'closes', key))}"
    if manner.get("exclaims") and text.endswith("."):
        text = f"{text[:-1]}!"
    return f"{text} :)" if manner.get("smiles") else text
