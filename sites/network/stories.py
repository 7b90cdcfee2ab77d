"""Draws what a person writes: a story that suits the person's trade, with the facts of the profile."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from stressweb.core.entity import Entity
from stressweb.sites.kit import Drawing, slug
from stressweb.sites.network.plan import filled, me
from stressweb.sites.network.trades import Values, corpus, is_for, trade_words, with_article
from stressweb.sites.network.voices import spoken

_OWN = 0.6
"""Share of posts that are of the author's trade alone, as long as there are stories left."""
_ATTEMPTS = 60


class _Story(NamedTuple):
    topic: str
    text: Mapping[str, Any]


class Stories:
    """The stories of a world, each told once as long as there are others. Tell the newest first."""

    def __init__(self, drawing: Drawing) -> None:
        """Take the world's people and companies."""
        self._drawing = drawing
        self._firms = {firm.id: firm for firm in drawing.made["Company"]}
        self._members: Sequence[Entity] = drawing.made["Member"]
        self._used_texts, self._earlier_authors = set[str](), {me(drawing).id}
        self._by_topic = {
            topic["name"]: [_Story(topic["name"], text) for text in topic["stories"]]
            for topic in corpus("posts")["topics"]
        }

    def facts(self, author: Entity, *key: Any) -> Values:
        """Return the words for texts of a person: of the trade, the employer and colleagues."""
        pick, firm, words = self._drawing.pick, self._firms[author.company], trade_words(author.trade)
        picked = {name: pick(words[name], *key, name) for name in ("job", "doing", "tool", "machine")}
        role, others = pick(words["roles"], *key, "role"), [other for other in self._members if other.id != author.id]
        colleagues = [other for other in others if other.company == author.company]
        colleague = pick(colleagues or others, *key, "colleague")
        named = {author.name.split()[0], colleague.name.split()[0]}
        strangers = [other for other in others if other.company != author.company]
        outsider = pick([other for other in strangers if other.name.split()[0] not in named], *key, "outsider")
        firms = [other.name for other in self._firms.values() if other.id != firm.id]
        return {
            **picked,
            **{name: words[name] for name in ("clients", "shop", "trainee", "stock")},
            "role": role["role"],
            "duty": role["duty"],
            "a_role": with_article(role["role"]),
            "a_trainee": with_article(words["trainee"]),
            "mine": firm.name,
            "town": firm.town,
            "firm_age": self._drawing.start.year - firm.founded,
            "firm": pick(firms, *key, "firm"),
            "first": colleague.name.split()[0],
            "first_years": colleague.joined,
            "outsider": outsider.name.split()[0],
            "years": author.years,
            "joined": author.joined,
        }

    def tell(self, author: Entity, *key: Any) -> Values:
        """Return the columns of a post that depend on its story."""
        for attempt in range(_ATTEMPTS):
            story = self._choose(author, *key, attempt)
            words = self.facts(author, *key, attempt)
            hook = filled(self._drawing, story.text["hook"], *key, attempt, **words)
            if slug(hook) not in self._used_texts:
                break
        self._used_texts |= {slug(hook), story.text["hook"]}
        self._earlier_authors.add(author.id)

        def fill(template: str) -> str:
            # All texts of the story have the same words.
            return filled(self._drawing, template, *key, attempt, **words, who=author.name.split()[0])

        texts = {
            "hook": hook,
            **{name: fill(story.text[name]) for name in ("text", "asks")},
            "echoes": story.text["shares"],
            "answers": [_answer(comment, fill) for comment in story.text["comments"]],
        }
        columns = spoken(self._drawing, author, texts, story.topic, fill)
        return {**columns, "id": slug(columns["hook"]), "topic": slug(story.topic)}

    def _choose(self, author: Entity, *key: Any) -> _Story:
        drawing = self._drawing
        own = [
            _Story(text["topic"], text)
            for text in trade_words(author.trade)["stories"]
            if text["hook"] not in self._used_texts
        ]
        if own and drawing.unit(*key, "own") < _OWN:
            return drawing.pick(own, *key, "story")
        fitting = {topic: [*self._fitting(author, topic)] for topic in self._by_topic}
        fresh = {
            topic: [story for story in stories if story.text["hook"] not in self._used_texts]
            for topic, stories in fitting.items()
        }
        choices = [stories for stories in fresh.values() if stories] or [*filter(None, fitting.values())]
        return drawing.pick(drawing.pick(choices, *key, "topic"), *key, "story")

    def _fitting(self, author: Entity, topic: str) -> Iterator[_Story]:
        """Yield the stories of a topic that suit a person: no farewell if the person has a later post."""
        has = {*trade_words(author.trade)["has"]}
        if any(other.company == author.company for other in self._members if other.id != author.id):
            has.add("colleague")
        for story in self._by_topic[topic]:
            if is_for(story.text, has) and not (story.text.get("leaves") and author.id in self._earlier_authors):
                yield story


def _answer(comment: str | Values, fill: Callable[[str], str]) -> Values:
    """Return a comment of the corpus, and the author's reply to it, if it has one."""
    texts = {"says": comment} if isinstance(comment, str) else comment
    return {name: fill(text) for name, text in texts.items()}
