"""Generates a world's jobs, and one's own skills, positions and profile."""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from itertools import pairwise
from typing import Any

from stressweb.core.entity import Entity
from stressweb.sites.kit import Drawing, slug
from stressweb.sites.network.plan import ago, filled, me
from stressweb.sites.network.trades import Values, corpus, is_for, trade_words

_JOBS, _OWN_JOBS, _ROLES = 92, 18, 9
"""Number of jobs, of those that are of the company's own trade, and of titles of the others."""
_OWN_PAY, _SMALL = (270, 380), ("for", "of")
_AGES = ((0, 6), (9, 26), (34, 95))
"""Ranges of the age of a job in days, away from a week and a month, where people could count differently."""
_SKILLS = 8
_TURNS = (15, 20)
"""Minimum and maximum number of moves until the skills are in alphabetical order."""
MODES = ("mode_site", "mode_hybrid", "mode_remote")
HOURS = ("hours_full", "hours_part")
_LEVELS = ("level_entry", "level_skilled", "level_lead")
_PART = 0.6
"""Pay of part-time jobs, as a share of full-time pay."""


def jobs(drawing: Drawing) -> list[Values]:
    """Return every job, the oldest first; titles repeat, but not at the same company."""
    firms: Sequence[Entity] = drawing.made["Company"]
    roles = drawing.shuffled(corpus("work")["roles"], "roles")[:_ROLES]
    pairs = [(role, firm) for role in roles for firm in firms if is_for(role, trade_words(firm.trade)["has"])]
    own_pairs = [(_own_role(role), firm) for firm in firms for role in trade_words(firm.trade)["roles"]]
    chosen = [*drawing.shuffled(pairs, "jobs")[: _JOBS - _OWN_JOBS], *drawing.shuffled(own_pairs, "own")[:_OWN_JOBS]]
    towns = {town.name: town.id for town in drawing.made["Town"]}
    jobs: list[Values] = []
    used_salaries: set[int] = set()
    for number, (role, firm) in enumerate(chosen):
        key = ("job", number)
        low, high = drawing.pick(_AGES, *key, "ages")
        lists = {"mode": role.get("modes", MODES), "hours": HOURS, "level": _LEVELS}
        terms = {name: drawing.pick(choices, *key, name) for name, choices in lists.items()}
        days = low + drawing.unit(*key, "age") * (high - low + 0.99)
        jobs.append({
            "id": slug(f"{role["title"]} {firm.name}"),
            "title": role["title"],
            "company": firm.id,
            "town": towns[firm.town],
            **terms,
            "salary": _salary(role["pay"], terms, drawing.unit(*key, "salary"), used_salaries) * 10000,
            "posted": ago(drawing, days)[:10],
            "text": _description(drawing, role, terms, *key, town=firm.town, firm=firm.name),
            "applicants": int(drawing.unit(*key, "applicants") * 70),
            "saved": int(drawing.unit(*key, "saved") < 0.06),
            "days": days,
        })  # fmt: skip
    return sorted(jobs, key=lambda job: -job["days"])


def _own_role(role: Values) -> Values:
    """Return a role of a company's own trade as a job on offer; people do such work where the company is."""
    words = (word if word in _SMALL else word[0].upper() + word[1:] for word in role["role"].split())
    return {"title": " ".join(words), "pay": _OWN_PAY, "duties": [role["duty"]], "modes": MODES[:1]}


def _salary(pay: Sequence[int], terms: Values, unit: float, used_salaries: set[int]) -> int:
    """Return the yearly pay of a job, in hundreds; all jobs differ, so that one of several always pays the most."""
    low, high = pay
    share = (1 + _LEVELS.index(terms["level"]) / 3) * (1 if terms["hours"] == HOURS[0] else _PART)
    amount = round((low + unit * (high - low)) * share)
    while amount in used_salaries:
        amount += 1
    used_salaries.add(amount)
    return amount


def _description(drawing: Drawing, role: Values, terms: Values, *key: Any, **known: str) -> str:
    """Return the description of a job: duties, place and requirements, which agree with its columns."""
    duties = drawing.shuffled(role["duties"], *key, "duties")
    places, levels = corpus("work")["job_places"][terms["mode"]], corpus("work")["job_levels"][terms["level"]]
    texts = [*duties, drawing.pick(places, *key, "place"), drawing.pick(levels, *key, "experience")]
    return filled(drawing, " ".join(texts), *key, **known)


def skills(drawing: Drawing) -> Iterator[Values]:
    """Yield one's own skills, in an order far from the alphabetical one."""
    chosen = drawing.shuffled(corpus("work")["skills"], "skills")[:_SKILLS]
    low, high = _TURNS
    for attempt in range(200):
        order = drawing.shuffled(chosen, "order", attempt)
        if low <= len(moves_up(order)) <= high:
            break
    for place, name in enumerate(order, 1):
        yield {"id": slug(name), "name": name, "place": place, "endorsed": int(drawing.unit("endorsed", name) * 24)}


def moves_up(order: list[str]) -> list[str]:
    """Return the names to move up one place, in sequence, until all are in alphabetical order."""
    rows, moves = [*order], []
    while any(first > second for first, second in pairwise(rows)):
        # Move the first name that is out of order up, until it is in its place.
        number = next(number for number, (first, second) in enumerate(pairwise(rows), 1) if first > second)
        rows[number - 1], rows[number] = rows[number], rows[number - 1]
        moves.append(rows[number - 1])
    return moves


def positions(drawing: Drawing) -> Iterator[Values]:
    """Yield one's own positions, the oldest first; the last is the current one."""
    firms = {firm.id: firm.name for firm in drawing.made["Company"]}
    owner = me(drawing)
    others = drawing.shuffled([name for key, name in firms.items() if key != owner.company], "positions")
    trade = next(trade_row.name for trade_row in drawing.made["Trade"] if trade_row.id == owner.trade)
    titles = [*(role["title"] for role in drawing.shuffled(corpus("work")["roles"], "titles")[:2]), trade]
    start = drawing.start.date() - timedelta(days=4200 + int(drawing.unit("positions") * 900))
    for number, title in enumerate(titles):
        end = start + timedelta(days=700 + int(drawing.unit("position", number) * 500))
        last = number == len(titles) - 1
        city = (
            owner.city if last else next(firm.town for firm in drawing.made["Company"] if firm.name == others[number])
        )
        task = drawing.pick(corpus("work")["tasks_done"], "done", number)
        yield {
            "id": slug(title),
            "title": title,
            "company": firms[owner.company] if last else others[number],
            "city": city,
            "start": start.isoformat(),
            "end": "" if last else end.isoformat(),
            "text": filled(drawing, task, "position", number, town=city),
        }
        start = end + timedelta(days=1 + int(drawing.unit("gap", number) * 60))


def profile(drawing: Drawing) -> Iterator[Values]:
    """Yield one's own profile."""
    owner = me(drawing)
    yield {"id": owner.id, **{name: owner[name] for name in ("headline", "city", "about")}, "open": 0}
