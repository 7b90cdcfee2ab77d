"""Suggestions for fields."""

from collections.abc import Iterable

from stressweb.sites.kit import Visit
from stressweb.sites.network.circle import Shown
from stressweb.sites.network.trades import corpus

_MOST = 7


def suggest_everything(visit: Visit) -> Shown:
    """Return people, companies and job titles for the search."""
    people = (member.name for member in visit.store.where("Member", {}))
    return _fitting(visit, [*people, *_names(visit, "Company"), *_titles(visit)])


def suggest_friends(visit: Visit) -> Shown:
    """Return connections."""
    return _fitting(visit, (member.name for member in visit.store.where("Member", {"link": "linked"})))


def suggest_companies(visit: Visit) -> Shown:
    """Return companies."""
    return _fitting(visit, _names(visit, "Company"))


def suggest_roles(visit: Visit) -> Shown:
    """Return job titles."""
    return _fitting(visit, _titles(visit))


def suggest_skills(visit: Visit) -> Shown:
    """Return common skills."""
    return _fitting(visit, corpus("work")["skills"])


def _names(visit: Visit, entity: str) -> list[str]:
    return [row.name for row in visit.store.where(entity, {})]


def _titles(visit: Visit) -> list[str]:
    return [job.title for job in visit.store.where("Job", {})]


def _fitting(visit: Visit, texts: Iterable[str]) -> Shown:
    """Return the texts in which a word begins with the input, first those that begin with it themselves."""
    typed = " ".join(visit.args.get("q", "").casefold().split())
    fitting = [text for text in dict.fromkeys(texts) if typed and f" {typed}" in f" {text.casefold()}"]
    return {"options": sorted(fitting, key=lambda text: (not text.casefold().startswith(typed), text))[:_MOST]}
