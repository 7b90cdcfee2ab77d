"""Titles and texts of documents: a text belongs to its title, and opens in words that no other document has."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

from stressweb.core.entity import Entity
from stressweb.core.errors import UserError
from stressweb.core.yaml_models import load
from stressweb.sites.kit import Drawing, slug
from stressweb.sites.kit.data.phrases import LazyWords, phrase, times
from stressweb.sites.kit.wording import dates
from stressweb.sites.kit.wording.capitals import capitalized

_LONG_TITLE = 0.03
"""Share of long titles."""
_ATTEMPTS = 99
"""Maximum number of draws for a title that must be unique."""
_SUBJECTS = ("a", "b", "e")
"""Words of titles that facts are known about: events, places and things."""
_SENTENCE, _SMALL_ARTICLE = re.compile(r"(?<=[.!?]) "), re.compile(r"(?<=[.!?] )the (?=\w)")

type Values = dict[str, Any]


class Topic(NamedTuple):
    """What a text is about."""

    purpose: str
    """The purpose of its workspace."""
    key: tuple[Any, ...]
    """The key by which its event, place and town are drawn."""
    changed: date | None = None
    """The day of the last change of the document that the text belongs to."""


class Text(NamedTuple):
    """A document's title and text."""

    name: str
    parts: Sequence[str]
    """The opening and the sections, or the paragraphs of a text without sections."""
    topic: Topic | None
    """What comments and versions are about; None for a text that has none."""
    comments: Sequence[str] = ()
    """Templates of what others can write about it."""


class Heading(NamedTuple):
    """The title of a document and what its text is drawn from."""

    name: str
    form: Values
    """The row of the corpus that the title comes from."""
    topic: Topic
    openings: Mapping[str, str]
    """Texts that can open the document, by their templates: those that no document has yet, the least used first."""


def papers() -> Mapping[str, Any]:
    """Return the corpus of the notebook's contents."""
    return corpus("papers")


@cache
def purposes() -> Mapping[str, Values]:
    """Return what workspaces are for, by the words at the end of their names."""
    return {row["name"]: row for row in papers()["purposes"]}


@cache
def corpus(name: str) -> Mapping[str, Any]:
    """Return a corpus of this site."""
    texts: Mapping[str, Any] = load(Path(__file__).with_name("corpora") / f"{name}.yaml")
    return texts


def fill_template(drawing: Drawing, template: str, topic: Topic, *key: Any) -> str:
    """Return a template filled with words; texts with the same topic share some of them."""
    lists = _lists(topic.purpose)
    # Event, place, town, things, month and date stay the same in all texts about a topic.
    topic_words = _topic_words(drawing, topic)
    shared: dict[str, Callable[[], Any]] = {
        name: partial(topic_words.__getitem__, name) for name in ("a", "b", "c", "d", "e", "month", "date", "quarter")
    }
    # At the start of a title: without the article, and with a capital.
    bare: dict[str, Callable[[], Any]] = {
        name: partial(_without_article, shared[name.lower()]) for name in ("A", "B", "D", "E")
    }
    # Most templates name nobody.
    people = cache(lambda: drawing.shuffled(drawing.made["Person"], *key, "p"))
    own: dict[str, Callable[[], Any]] = {
        "n": lambda: 3 + int(drawing.unit(*key, "n") * 56),
        "m": lambda: 12 + int(drawing.unit(*key, "m") * 30),
        **{name: partial(_first_name, people, place) for place, name in enumerate("pqr")},
        **times(drawing, *key, first=8, hours=12),
    }
    text = phrase(template, LazyWords(drawing, key, lists, **{**own, **shared, **bare}))
    return _SMALL_ARTICLE.sub("The ", text)


def _first_name(people: Callable[[], Sequence[Entity]], place: int) -> str:
    return str(people()[place].name).split()[0]


@cache
def _lists(purpose: str) -> Mapping[str, Sequence[Any]]:
    return {**papers()["words"], **purposes()[purpose]}


def _topic_words(drawing: Drawing, topic: Topic) -> LazyWords:
    makers = times(drawing, *topic.key, first=8, hours=12)
    if day := topic.changed:
        makers |= {
            "month": lambda: dates.MONTHS[day.month - 1],
            "date": lambda: dates.brief(drawing.look.dates, day),
            "quarter": lambda: f"Q{(day.month + 2) // 3}",
        }
    return LazyWords(drawing, topic.key, _lists(topic.purpose), **makers)


def _without_article(word: Callable[[], Any]) -> str:
    return capitalized(str(word()).removeprefix("the "))


class DocumentTexts:
    """Draws titles and texts of documents; no title and no opening sentence comes twice."""

    def __init__(self, drawing: Drawing) -> None:
        self._drawing = drawing
        self._titles, self._sentences, self._uses = set[str](), set[str](), Counter[str]()

    def sectioned(self, kind: Values, topic: Topic, sections: int) -> Text:
        """Return a text of a kind with a number of sections; raises UserError if no title is left."""
        heading = self._heading(kind, topic)
        rows = enumerate(heading.form["sections"][:sections])
        parts = [self._opening(heading), *(self._section(row, number, heading) for number, row in rows)]
        self._uses[heading.form["title"][0]] += 1
        return Text(heading.name, parts, heading.topic, kind["comments"])

    def _heading(self, kind: Values, about: Topic) -> Heading:
        """Return an unused title with unused openings."""
        for attempt in range(_ATTEMPTS):
            draw_key = (*about.key, "title", attempt)
            topic = about._replace(key=draw_key)
            forms = self._suitable(kind["titles"], topic)
            # A random one of those that are least used, so that two texts of one kind seldom meet.
            uses = [self._uses[form["title"][0]] for form in forms]
            rare = [form for form, count in zip(forms, uses, strict=True) if count <= min(uses) + attempt]
            form = self._drawing.pick(rare, *draw_key)
            shape = self._drawing.pick(form["title"], *draw_key, "shape")
            name = self._fill(shape, topic)
            if self._drawing.unit(*draw_key, "long") < _LONG_TITLE:
                long_ending = self._drawing.pick(papers()["long"], *draw_key)
                ending = fill_template(self._drawing, long_ending, topic, *draw_key, "end")
                name = f"{name}, {ending[0].lower()}{ending[1:]}"
            if slug(name) not in self._titles and (openings := self._unused_openings(form, topic)):
                self._titles.add(slug(name))
                return Heading(name, form, topic, openings)
        raise UserError(f"notes: no title left for {kind['id']} in {_ATTEMPTS} draws")

    def _fill(self, template: str, topic: Topic) -> str:
        # All texts of a document have the words of its title.
        return fill_template(self._drawing, template, topic, *topic.key)

    def _suitable(self, forms: Sequence[Values], topic: Topic) -> list[Values]:
        """Return the titles that suit the event and the place of a topic."""
        words = _topic_words(self._drawing, topic)
        is_event, is_indoors = words["a"] not in papers()["works"], words["b"] not in papers()["outdoors"]
        return [form for form in forms if (is_event or "about" not in form) and (is_indoors or "indoors" not in form)]

    def _section(self, row: Values, number: int, heading: Heading) -> str:
        # The first sections have two texts each, and four documents of a title have all pairs of them.
        variant = row.get("or", row) if (self._uses[heading.form["title"][0]] >> number) & 1 else row
        text, *points = (self._fill(text, heading.topic) for text in (variant["text"], *variant.get("points", ())))
        bullet_list = "\n".join(f"- {point}" for point in points)
        return "\n\n".join(filter(None, (f"# {row['head']}", text, bullet_list)))

    def _opening(self, heading: Heading) -> str:
        """Return the least used opening, with a fact if it has room for one."""
        template, opening = next(iter(heading.openings.items()))
        sentences, room = _SENTENCE.split(opening), template.partition(" | ")[2]
        if room and (facts := [fact for fact in self._facts_about(heading) if fact not in self._sentences]):
            fact = self._drawing.pick(facts, *heading.topic.key, "fact")
            self._sentences.add(fact)
            sentences.append(room.format(fact=fact))
        self._sentences.update(sentences)
        self._uses[template] += 1
        return " ".join(sentences)

    def _unused_openings(self, form: Values, topic: Topic) -> dict[str, str]:
        """Return the `openings` of a heading."""
        leads = sorted(self._drawing.shuffled(form["leads"], *topic.key, "leads"), key=self._uses.__getitem__)
        filled = {lead: self._fill(lead.partition(" | ")[0], topic) for lead in leads}
        return {lead: text for lead, text in filled.items() if self._sentences.isdisjoint(_SENTENCE.split(text))}

    def _facts_about(self, heading: Heading) -> list[str]:
        """Return what is known about the first event, place or thing in a title."""
        # All shapes of a title are about the same as the first, even those without a word for it.
        title = heading.form["title"][0]
        places = {name: title.lower().find(f"{{{name}}}") for name in _SUBJECTS}
        name = min((name for name in _SUBJECTS if places[name] >= 0), key=places.__getitem__, default="")
        facts: list[str] = corpus("facts")[_topic_words(self._drawing, heading.topic)[name]] if name else []
        return facts
