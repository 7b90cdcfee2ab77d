"""How people write: each author has a voice, which is heard in all posts of the author."""

from collections.abc import Callable, Mapping
from typing import Any

from stressweb.core.entity import Entity
from stressweb.sites.kit import Drawing
from stressweb.sites.network.plan import me
from stressweb.sites.network.trades import Values, corpus

_GRAVE = frozenset({"Safety", "NewChapter"})
"""Topics whose posts have no smile: near misses and farewells."""


def voice(drawing: Drawing, author: Entity) -> Mapping[str, Any]:
    """Return the voice of an author; the world's own person writes plainly."""
    voices: list[Mapping[str, Any]] = corpus("voices")["voices"]
    return {} if author.id == me(drawing).id else drawing.pick(voices, "voice", author.id)


def spoken(drawing: Drawing, author: Entity, post: Values, topic: str, fill: Callable[[str], str]) -> Values:
    """Return the columns of a post in the voice of its author; `fill` fills the words of the post into a template."""
    manner, hook, text = voice(drawing, author), post["hook"], post["text"]
    if "opens" in manner:
        hook = f"{fill(drawing.pick(manner['opens'], 'opens', author.id))} {hook}"
    if manner.get("asks"):
        text = f"{text} {post['asks']}"
    if "closes" in manner:
        text = f"{text} {fill(drawing.pick(manner['closes'], 'closes', author.id))}"
    if manner.get("exclaims") and topic not in _GRAVE and text.endswith("."):
        text = f"{text[:-1]}!"
    smile = " :)" if manner.get("smiles") and topic not in _GRAVE else ""
    return {**post, "hook": hook, "text": f"{text}{smile}"}
