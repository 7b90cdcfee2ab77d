"""Trades: their words, and the companies where they are at home."""

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from stressweb.core.yaml_models import load
from stressweb.sites.kit import Drawing

type Values = dict[str, Any]


@cache
def corpus(name: str) -> Any:
    """Return a corpus of the site."""
    return load(Path(__file__).parent / "corpora" / f"{name}.yaml")


def trade_words(trade: str) -> Values:
    """Return the words of a trade, by its name or its key."""
    words: Values = corpus("trades")[trade.replace("-", " ").casefold()]
    return words


@cache
def trade_of(firm: str) -> str | None:
    """Return the trade that is at home in a company; None if there is none."""
    trades: Mapping[str, Values] = corpus("trades")
    fitting = (
        name for name, words in trades.items() if firm in words["firms"] or any(word in firm for word in words["at"])
    )
    return next(fitting, None)


def employers(drawing: Drawing) -> dict[str, str]:
    """Return the employer of each person by the person's id: a company where the person's trade is at home."""
    names: list[str] = sorted({person.employer for person in drawing.made["Person"]})
    fitting = {
        trade: [*(name for name in names if trade_of(name) == trade), *words["firms"]]
        for trade, words in corpus("trades").items()
    }
    return {
        person.id: drawing.pick(fitting[person.job.casefold()], "employer", person.id)
        for person in drawing.made["Person"]
    }


def is_for(text: Mapping[str, Any], has: Iterable[str]) -> bool:
    """Return whether a text of a corpus suits a trade: it has what the text needs, and nothing that the text bars."""
    known = {*has}
    return known.issuperset(text.get("needs", ())) and known.isdisjoint(text.get("bars", ()))


def with_article(noun: str) -> str:
    """Return a noun with its indefinite article."""
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"
