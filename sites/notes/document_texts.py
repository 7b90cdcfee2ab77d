"""Titles and texts of documents: the text begins with what its title promises, in words that no other document has."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

from stressweb.core.errors import UserError
from stressweb.core.yaml_models import load
from stressweb.sites.kit import Drawing, slug
from stressweb.sites.kit.data.phrases import LazyWords, phrase, times
from stressweb.sites.kit.wording import dates
from stressweb.sites.kit.wording.capitals import capitalized

_LONG_TITLE, _FACT_FIRST, _BOLD = 0.03, 0.6, 0.5
"""Shares of long titles, of openings in which the fact comes first, and of openings whose first sentence is bold."""
_ATTEMPTS = 99
"""Maximum number of draws for a title that must be unique."""
_SUBJECTS = ("a", "b", "e")
"""Words of titles that facts are known about: events, places and things."""

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


class Heading(NamedTuple):
    """The title of a document and what its text is drawn from."""

    name: str
    form: Values
    """The row of the corpus that the title comes from."""
    topic: Topic
    leads: Mapping[str, str]
    """Sentences that can open the text, by their templates: those that no document has yet, the least used first."""


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
    own: dict[str, Callable[[], Any]] = {
        "n": lambda: 3 + int(drawing.unit(*key, "n") * 56),
        "p": lambda: drawing.shuffled(drawing.made["Person"], *key, "p")[0].name.split()[0],
        **times(drawing, *key, first=8, hours=12),
    }
    return phrase(template, LazyWords(drawing, key, lists, **{**own, **shared, **bare}))


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
        return Text(heading.name, [*self._parts(kind, heading, sections, *topic.key)], heading.topic)

    def _heading(self, kind: Values, about: Topic) -> Heading:
        """Return an unused title with an unused lead."""
        for attempt in range(_ATTEMPTS):
            draw_key = (*about.key, "title", attempt)
            topic, form = about._replace(key=draw_key), self._drawing.pick(kind["titles"], *draw_key)
            shape = self._drawing.pick(form["title"], *draw_key, "shape")
            name = fill_template(self._drawing, shape, topic, *draw_key)
            if self._drawing.unit(*draw_key, "long") < _LONG_TITLE:
                long_ending = self._drawing.pick(papers()["long"], *draw_key)
                ending = fill_template(self._drawing, long_ending, topic, *draw_key, "end")
                name = f"{name}, {ending[0].lower()}{ending[1:]}"
            if slug(name) not in self._titles and (leads := self._unused_leads(form, topic)):
                self._titles.add(slug(name))
                return Heading(name, form, topic, leads)
        raise UserError(f"notes: no title left for {kind['id']} in {_ATTEMPTS} draws")

    def _parts(self, kind: Values, heading: Heading, sections: int, *key: Any) -> Iterator[str]:
        """Yield the opening of a document, then its sections; the one that its title names comes first."""
        first, *others = self._opening(heading, *key)
        bold = self._drawing.unit(*key, "bold") < _BOLD
        yield " ".join([f"**{first}**" if bold else first, *others])
        named = heading.form.get("first")
        # A sort keeps the order of what is equal.
        drawn = sorted(self._drawing.shuffled(kind["sections"], *key, "heads"), key=lambda row: row["head"] != named)
        heads = [section["head"] for section in drawn[:sections]]
        chosen = [section for section in kind["sections"] if section["head"] in heads]
        for number, section in enumerate(sorted(chosen, key=lambda row: row["head"] != named)):
            count = 1 + int(self._drawing.unit(*key, "sentences", number) * 2)
            lines = _sentences(self._drawing, section["lines"], count, heading.topic, *key, "lines", number)
            bullet_texts = section["items"] if number in (0, 2) else []
            bullets = _sentences(self._drawing, bullet_texts, 2 + (number == 0), heading.topic, *key, "items", number)
            bullet_list = ["\n".join(f"- {text}" for text in bullets)] if bullets else []
            yield "\n\n".join([f"# {section['head']}", " ".join(lines), *bullet_list])

    def _opening(self, heading: Heading, *key: Any) -> list[str]:
        """Return a fact and a lead, or two leads if no fact is left; at least one sentence."""
        facts = [fact for fact in self._facts_about(heading) if fact not in self._sentences]
        chosen = dict([*heading.leads.items()][: 1 if facts else 2])
        sentences = [*chosen.values()]
        if facts:
            fact_first = self._drawing.unit(*key, "fact first") < _FACT_FIRST
            sentences.insert(0 if fact_first else 1, self._drawing.pick(facts, *key, "fact"))
        self._sentences.update(sentences)
        self._uses.update(chosen.keys())
        return sentences

    def _unused_leads(self, form: Values, topic: Topic) -> dict[str, str]:
        """Return the `leads` of a heading."""
        # Drawn by the title's key, so that a lead has the day and the person of the title.
        key = topic.key
        leads = sorted(self._drawing.shuffled(form["leads"], *key, "leads"), key=self._uses.__getitem__)
        filled = {lead: fill_template(self._drawing, lead, topic, *key) for lead in leads}
        return {lead: sentence for lead, sentence in filled.items() if sentence not in self._sentences}

    def _facts_about(self, heading: Heading) -> list[str]:
        """Return what is known about the first event, place or thing in a title."""
        # All shapes of a title are about the same as the first, even those without a word for it.
        title = heading.form["title"][0]
        places = {name: title.lower().find(f"{{{name}}}") for name in _SUBJECTS}
        name = min((name for name in _SUBJECTS if places[name] >= 0), key=places.__getitem__, default="")
        facts: list[str] = corpus("facts")[_topic_words(self._drawing, heading.topic)[name]] if name else []
        return facts


def _sentences(drawing: Drawing, texts: Sequence[str], count: int, topic: Topic, *key: Any) -> list[str]:
    chosen = drawing.shuffled(texts, *key)[:count]
    return [fill_template(drawing, text, topic, *key, number) for number, text in enumerate(texts) if text in chosen]
