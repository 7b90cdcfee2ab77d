"""Jobs and companies: which of them pages show, and what becomes of an application."""

from collections.abc import Iterable
from datetime import timedelta

from sites.kit import RefusedError, Visit
from sites.kit.widgets.listing.model import words
from sites.network.circle import Shown, by_name, shown_members, with_followers
from stressweb.core.entity import Entity

_ASKED = ("words", "town", "mode", "hours", "within", "order")
_ORDERS = {"pay": lambda one: -one.salary, "few": lambda one: one.applicants}


def _shown(visit: Visit, rows: Iterable[Entity]) -> list[Entity]:
    """Return jobs as pages show them, the newest first."""
    firms = {one.id: one.name for one in visit.store.where("Company", {})}
    towns = {one.id: one.name for one in visit.store.where("Town", {})}
    applied = {one.job for one in visit.store.where("Application", {})}
    found = [
        Entity({
            **one,
            "company_name": firms[one.company],
            "town_name": towns[one.town],
            "pay": f"{visit.look.currency[1]}{one.salary // 100:,}",
            "salary": one.salary // 100,
            "applied": one.id in applied,
        })
        for one in rows
    ]  # fmt: skip
    return sorted(found, key=lambda one: one.posted, reverse=True)


def jobs_here(visit: Visit) -> Shown:
    """Return the jobs that fit what was asked for, in the order asked for."""
    asked = Entity({name: visit.args.get(name, "").strip() for name in _ASKED})
    days = int(asked.within) if asked.within in ("7", "30") else 10000
    first = (visit.world.start.date() - timedelta(days=days)).isoformat()
    rows = [
        one for one in _shown(visit, visit.store.where("Job", {}))
        if words(asked.words) <= words(f"{one.title} {one.company_name}")
        and all(not asked[name] or one[name] == asked[name] for name in ("town", "mode", "hours"))
        and one.posted >= first
    ]  # fmt: skip
    # Sorting is stable: of equals, the newest comes first.
    order = _ORDERS.get(asked.order)
    return {"jobs": sorted(rows, key=order) if order else rows, "asked": asked}


def job_here(visit: Visit) -> Shown:
    """Return the job of the page."""
    return {"opening": _shown(visit, [visit.names["job"]])[0]}


def my_jobs_here(visit: Visit) -> Shown:
    """Return the jobs that were saved, and those that were applied for."""
    sent = {one.job: one for one in visit.store.where("Application", {})}
    rows = _shown(visit, visit.store.where("Job", {}))
    applied = [
        Entity({**one, "note": sent[one.id].note, "begin": sent[one.id].start, "application": sent[one.id].id})
        for one in rows
        if one.id in sent
    ]
    return {"saved": [one for one in rows if one.saved], "applied": applied}


def toggle_save(visit: Visit) -> None:
    """Keep a job for later, or no longer."""
    row = visit.values["job"]
    visit.store.change("Job", {"id": row.id}, {"saved": 1 - row.saved})


def send_application(visit: Visit) -> None:
    """Apply for a job; raise RefusedError for the second time, and for a day that has passed."""
    row, said = visit.values["job"], visit.values
    if visit.store.where("Application", {"job": row.id}):
        raise RefusedError("error_applied")
    if said["begin"] < visit.today:
        raise RefusedError("error_past", "begin")
    told = {"job": row.id, "note": said["cover"], "start": said["begin"], "news": said["news"], "at": visit.store.now}
    visit.store.put("Application", {"id": row.id, **told})


def companies_here(visit: Visit) -> Shown:
    """Return all companies."""
    return {"companies": with_followers(by_name(visit.store.where("Company", {})))}


def company_here(visit: Visit) -> Shown:
    """Return a company with its jobs, and the people who work there."""
    firm = visit.names["company"]
    people = by_name(visit.store.where("Member", {"company": firm.id}))
    jobs = _shown(visit, visit.store.where("Job", {"company": firm.id}))
    return {"firm": with_followers([firm])[0], "jobs": jobs, "people": shown_members(visit, people)}


def found_here(visit: Visit) -> Shown:
    """Return people, companies and jobs that have all words of the search; who asks for nothing finds nothing."""
    asked = visit.args.get("q", "").strip()
    wanted = words(asked)

    def fits(*texts: str) -> bool:
        return bool(wanted) and wanted <= words(" ".join(texts))

    people = shown_members(visit, by_name(visit.store.where("Member", {})))
    jobs = _shown(visit, visit.store.where("Job", {}))
    return {
        "args": {**visit.args, "q": asked},
        "people": [one for one in people if fits(one.name, one.headline, one.trade_name, one.company_name)],
        "companies": [
            one for one in with_followers(by_name(visit.store.where("Company", {}))) if fits(one.name, one.town)
        ],
        "jobs": [one for one in jobs if fits(f"{one.title} at {one.company_name}")],
    }
