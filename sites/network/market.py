"""Jobs, companies, applications, and the search."""

from collections.abc import Iterable
from datetime import timedelta

from stressweb.core.entity import Entity
from stressweb.sites.kit import RefusedError, Visit
from stressweb.sites.kit.widgets.listing.model import words
from stressweb.sites.network.circle import Shown, by_name, shown_members, with_followers

_SEARCH_FIELDS = ("words", "town", "mode", "hours", "within", "order")
_ORDERS = {"pay": lambda job: -job.salary, "few": lambda job: job.applicants}


def _shown_jobs(visit: Visit, rows: Iterable[Entity]) -> list[Entity]:
    """Return jobs with the columns that pages show, the newest first."""
    firms = {firm.id: firm.name for firm in visit.store.where("Company", {})}
    towns = {town.id: town.name for town in visit.store.where("Town", {})}
    applied = {application.job for application in visit.store.where("Application", {})}
    jobs = [
        Entity({
            **job,
            "company_name": firms[job.company],
            "town_name": towns[job.town],
            "pay": f"{visit.look.currency[1]}{job.salary // 100:,}",
            "salary": job.salary // 100,
            "applied": job.id in applied,
        })
        for job in rows
    ]  # fmt: skip
    return sorted(jobs, key=lambda job: job.posted, reverse=True)


def jobs_here(visit: Visit) -> Shown:
    """Return the jobs that match the query, in the query's order."""
    query = Entity({name: visit.args.get(name, "").strip() for name in _SEARCH_FIELDS})
    days = int(query.within) if query.within in ("7", "30") else 10000
    first = (visit.world.start.date() - timedelta(days=days)).isoformat()
    rows = [
        job for job in _shown_jobs(visit, visit.store.where("Job", {}))
        if words(query.words) <= words(f"{job.title} {job.company_name}")
        and all(not query[name] or job[name] == query[name] for name in ("town", "mode", "hours"))
        and job.posted >= first
    ]  # fmt: skip
    # Sorting is stable: of equal jobs, the newest comes first.
    order = _ORDERS.get(query.order)
    return {"jobs": sorted(rows, key=order) if order else rows, "asked": query}


def job_here(visit: Visit) -> Shown:
    """Return the job of the page."""
    return {"opening": _shown_jobs(visit, [visit.names["job"]])[0]}


def my_jobs_here(visit: Visit) -> Shown:
    """Return the saved jobs, and those with an application."""
    sent = {application.job: application for application in visit.store.where("Application", {})}
    rows = _shown_jobs(visit, visit.store.where("Job", {}))
    applied = [
        Entity({**job, "note": sent[job.id].note, "begin": sent[job.id].start, "application": sent[job.id].id})
        for job in rows
        if job.id in sent
    ]
    return {"saved": [job for job in rows if job.saved], "applied": applied}


def toggle_save(visit: Visit) -> None:
    """Save a job for later, or remove it."""
    row = visit.values["job"]
    visit.store.change("Job", {"id": row.id}, {"saved": 1 - row.saved})


def send_application(visit: Visit) -> None:
    """Apply for a job; raises RefusedError for a second application, and for a day that has passed."""
    row, entered = visit.values["job"], visit.values
    if visit.store.where("Application", {"job": row.id}):
        raise RefusedError("error_applied")
    if entered["begin"] < visit.today:
        raise RefusedError("error_past", "begin")
    columns = {
        "job": row.id,
        "note": entered["cover"],
        "start": entered["begin"],
        "news": entered["news"],
        "at": visit.store.now,
    }
    visit.store.put("Application", {"id": row.id, **columns})


def companies_here(visit: Visit) -> Shown:
    """Return all companies."""
    return {"companies": with_followers(by_name(visit.store.where("Company", {})))}


def company_here(visit: Visit) -> Shown:
    """Return a company with its jobs, and the people who work there."""
    firm = visit.names["company"]
    people = by_name(visit.store.where("Member", {"company": firm.id}))
    jobs = _shown_jobs(visit, visit.store.where("Job", {"company": firm.id}))
    return {"firm": with_followers([firm])[0], "jobs": jobs, "people": shown_members(visit, people)}


def found_here(visit: Visit) -> Shown:
    """Return people, companies and jobs that contain all words of the query; none for an empty query."""
    phrase = visit.args.get("q", "").strip()
    wanted = words(phrase)

    def fits(*texts: str) -> bool:
        return bool(wanted) and wanted <= words(" ".join(texts))

    people = shown_members(visit, by_name(visit.store.where("Member", {})))
    jobs = _shown_jobs(visit, visit.store.where("Job", {}))
    return {
        "args": {**visit.args, "q": phrase},
        "people": [
            person for person in people if fits(person.name, person.headline, person.trade_name, person.company_name)
        ],
        "companies": [
            firm for firm in with_followers(by_name(visit.store.where("Company", {}))) if fits(firm.name, firm.town)
        ],
        "jobs": [job for job in jobs if fits(f"{job.title} at {job.company_name}")],
    }
