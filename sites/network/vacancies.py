"""Generates a world's jobs, and one's own skills, positions and profile."""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from itertools import pairwise
from typing import Any

from stressweb.sites.kit import Drawing, slug
from stressweb.sites.network.plan import Values, ago, corpus, filled, me

_JOBS, _ROLES, _TOWNS = 76, 9, 6
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


def towns(drawing: Drawing) -> Iterator[Values]:
    """Yield the towns with jobs."""
    for name in sorted(drawing.shuffled(corpus("work")["towns"], "towns")[:_TOWNS]):
        yield {"id": slug(name), "name": name}


def jobs(drawing: Drawing) -> list[Values]:
    """Return every job, the oldest first; titles repeat, but not at the same company."""
    roles = drawing.shuffled(corpus("work")["roles"], "roles")[:_ROLES]
    pairs = [(role, firm) for role in roles for firm in drawing.made["Company"]]
    jobs: list[Values] = []
    used_salaries: set[int] = set()
    for number, (role, firm) in enumerate(drawing.shuffled(pairs, "jobs")[:_JOBS]):
        key = ("job", number)
        low, high = drawing.pick(_AGES, *key, "ages")
        town = drawing.pick(drawing.made["Town"], *key, "town")
        lists = {"mode": MODES, "hours": HOURS, "level": _LEVELS}
        terms = {name: drawing.pick(choices, *key, name) for name, choices in lists.items()}
        days = low + drawing.unit(*key, "age") * (high - low + 0.99)
        jobs.append({
            "id": slug(f"{role["title"]} {firm.name}"),
            "title": role["title"],
            "company": firm.id,
            "town": town.id,
            **terms,
            "salary": _salary(role["pay"], terms, drawing.unit(*key, "salary"), used_salaries) * 10000,
            "posted": ago(drawing, days)[:10],
            "text": _description(drawing, role, terms, *key, town=town.name, firm=firm.name),
            "applicants": int(drawing.unit(*key, "applicants") * 70),
            "saved": int(drawing.unit(*key, "saved") < 0.06),
            "days": days,
        })  # fmt: skip
    return sorted(jobs, key=lambda job: -job["days"])


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
        yield {
            "id": slug(title),
            "title": title,
            "company": firms[owner.company] if last else others[number],
            "city": owner.city if last else drawing.pick(corpus("work")["towns"], "position", number, "town"),
            "start": start.isoformat(),
            "end": "" if last else end.isoformat(),
            "text": filled(drawing, drawing.pick(corpus("work")["tasks_done"], "done", number), "position", number),
        }
        start = end + timedelta(days=1 + int(drawing.unit("gap", number) * 60))


def profile(drawing: Drawing) -> Iterator[Values]:
    """Yield one's own profile."""
    owner = me(drawing)
    yield {"id": owner.id, **{name: owner[name] for name in ("headline", "city", "about")}, "open": 0}
