"""The entries of `stressweb list cases`: the proven test cases, by site, kind and failing step."""

from collections import Counter
from collections.abc import Iterable, Iterator

from stressweb.cases.building import Fault
from stressweb.cases.case_task import CaseTask
from stressweb.cases.operators import OPERATORS
from stressweb.cases.own_case import OwnCase
from stressweb.runner import registry
from stressweb.runner.registry.inventory import Line

STEPS = {"step 1": (1, 1), "2": (2, 2), "3": (3, 3), "4": (4, 4), "5": (5, 5), "6 to 8": (6, 8), "from 9": (9, 99)}
"""Columns of failing steps, with the first and last step that each counts."""


def lines(site: str | None) -> list[Line]:
    """Return every case of a site and the rejected cases; without a site, the number of cases of each site."""
    library = registry.Library()
    if site is None:
        return [line for name in registry.SITES.working() for line in counts(name, library.cases(name).values())]
    rejected = [
        {"case": name, "kind": "rejected", "fails at": None, "why": why}
        for name, why in library.rejected_cases(site).items()
    ]
    return [*map(_case, library.cases(site).values()), *rejected]


def _case(case: CaseTask | OwnCase) -> Line:
    kind, step = _kind(case)
    why = case.truth.cause or "" if isinstance(case, OwnCase) else _cause(case.fault) if case.fault else ""
    return {"case": case.id, "kind": kind, "fails at": step, "why": why}


def _cause(fault: Fault) -> str:
    return "bug in the site" if fault.is_bug else OPERATORS[fault.operator][1]


def _kind(case: CaseTask | OwnCase) -> tuple[str, int | None]:
    """Return the kind of a case, and the step at which it fails."""
    if isinstance(case, OwnCase):
        return case.kind, case.truth.step
    return case.fault or ("passing", None)


def counts(site: str, cases: Iterable[CaseTask | OwnCase]) -> Iterator[Line]:
    """Yield a line for each kind of case of a site, with their number and the steps at which they fail."""
    steps: dict[str, list[int | None]] = {}
    for case in cases:
        kind, step = _kind(case)
        steps.setdefault(kind, []).append(step)
    for kind, failing in sorted(steps.items(), key=lambda entry: (entry[0] != "passing", entry[0])):
        at_step = Counter(step for step in failing if step is not None)
        columns = {
            heading: sum(number for step, number in at_step.items() if first <= step <= last)
            for heading, (first, last) in STEPS.items()
        }
        yield {"site": site, "kind": kind, "cases": len(failing), **columns}
