"""Texts of mail: topics of conversations, and what stands around a text."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from stressweb.core.entity import Entity
from stressweb.core.yaml_models import load
from stressweb.sites.kit import Drawing
from stressweb.sites.kit.data.phrases import LazyWords, times
from stressweb.sites.kit.wording.capitals import capitalized
from stressweb.sites.kit.wording.dates import WEEKDAYS

_BUSINESS = "work"
"""Kind of topics about which people write with their job or extension."""
_DAYTIME = (8, 11)
"""First hour and number of hours of times of day."""

type Values = dict[str, Any]


@cache
def corpus() -> Any:
    """Return the corpus of mail."""
    return load(Path(__file__).parent / "corpora" / "letters.yaml")


@cache
def fitting_labels() -> Mapping[str, set[str]]:
    """Return the names of the labels that people file a topic under, by its subject."""
    kinds = [*corpus()["kinds"], *corpus()["newsletters"], *corpus()["services"]]
    return {topic["subject"]: {*kind["labels"], *topic.get("labels", ())} for kind in kinds for topic in kind["topics"]}


@cache
def _business_subjects() -> frozenset[str]:
    return frozenset(
        topic["subject"] for kind in corpus()["kinds"] if kind["id"] == _BUSINESS for topic in kind["topics"]
    )


def is_person(writer: Entity) -> bool:
    """Return whether a writer is a person, not a company."""
    return "phone" in writer


def is_service(writer: Entity) -> bool:
    """Return whether a writer is a company that sends receipts, bills or codes."""
    return "box" in writer


class Subject:
    """The topic of a conversation: its subject and texts, which share the same drawn words."""

    def __init__(self, drawing: Drawing, topic: Values, *key: Any) -> None:
        """Take a topic of the corpus."""
        self.topic, self.drawing, self.key = topic, drawing, key
        first, hours = topic.get("hours", _DAYTIME)
        words = times(drawing, *key, first=first, hours=hours) | {
            "few": lambda: 3 + int(drawing.unit(*key, "few") * 6),
            "day": lambda: drawing.pick(WEEKDAYS[:6], *key, "day"),
            **self._amounts(),
        }
        self._words = LazyWords(drawing, key, {"x": topic.get("of", ()), "place": corpus()["places"]}, **words)

    def _amounts(self) -> dict[str, Callable[[], str]]:
        """Return functions that draw the amounts and numbers of receipts, bills and codes."""
        money = self.drawing.look.money
        return {
            "sum": lambda: money(640 + self._number("sum", 8800) // 5 * 5),
            "fare": lambda: money(1000 * self._words["few"] + 900),
            "digits": lambda: f"{1000 + self._number('digits', 9000)}",
            "code": lambda: f"{100 + self._number('code', 900)} {100 + self._number('code', 900, 2)}",
            "order": lambda: f"{10 + self._number('order', 90)}-{10000 + self._number('order', 90000, 2)}",
        }

    def _number(self, name: str, count: int, *place: int) -> int:
        return int(self.drawing.unit(*self.key, name, *place) * count)

    def says(self, part: str) -> str:
        """Return a text of the topic, with a capital first letter."""
        return capitalized(self.topic[part].format_map(self._words))

    def framed(self, frame: str, part: str, writer: Entity, reader: Entity, *turn: Any) -> str:
        """Return a whole mail: a text of the topic in a frame of the corpus."""
        draw = self.drawing
        words: dict[str, Any] = {
            "text": self.says(part),
            "hello": greeting(draw, reader.first, *self.key, *turn),
            "bye": draw.pick(corpus()["closings"], *self.key, "closing", *turn),
            "to": reader.first,
            "extension": 201 + int(draw.unit("extension", writer.id) * 90),
        }
        if is_person(writer):
            words |= {name: writer[name] for name in ("first", "name", "employer", "phone")}
        else:
            words |= {"name": writer.id, "team": writer.id.removeprefix("The ")}
        return frame.format_map(words)


def greeting(drawing: Drawing, first: str, *key: Any) -> str:
    """Return the greeting of a mail."""
    return str(drawing.pick(corpus()["greetings"], *key, "greeting").format(first=first))


class Frames:
    """Chooses what stands around the text of each mail; neighbours in a list of conversations look different."""

    def __init__(self, drawing: Drawing) -> None:
        self._drawing, self._last_frames = drawing, dict[str, str]()

    def choose(self, folder: str, about: Subject, parts: Sequence[tuple[Entity, str]], is_known: bool) -> list[str]:
        """Return the frames of a conversation's mails, by the writer and the part of each.

        Take the conversations of a folder in the order of its list, which shows the last mail of each.
        """
        frames: list[str] = []
        for number, (writer, part) in enumerate(parts):
            candidates = corpus()["frames"][_kind_of_frame(about, writer, part, is_known)]
            drawn = self._drawing.shuffled(candidates, *about.key, "frame", number)
            is_last = number == len(parts) - 1
            neighbour = self._last_frames.get(folder, "") if is_last else ""
            frames.append(min(drawn, key=lambda frame: _likeness(frame, neighbour)))
        self._last_frames[folder] = frames[-1]
        return frames


def _kind_of_frame(about: Subject, writer: Entity, part: str, is_known: bool) -> str:
    if not is_person(writer):
        return "notices" if is_service(writer) else "letters"
    if part != "text":
        return "answers"
    # A stranger says who he is.
    if not is_known:
        return "formal"
    return "business" if about.topic["subject"] in _business_subjects() else "known"


def _likeness(frame: str, neighbour: str) -> int:
    """Return 2 if two frames are the same, 1 if both begin with the same greeting, and else 0."""
    opening = frame.partition("{text}")[0]
    return 2 if frame == neighbour else int(opening != "" and opening == neighbour.partition("{text}")[0])
