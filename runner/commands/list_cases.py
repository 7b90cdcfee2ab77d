"""What `stressweb list cases` prints: test cases by site, kind and failing step, proven without a browser."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from runner import registry
from runner.registry.inventory import Line
from runner.verify.cases import site_cases
from stressweb.core.choices import unknown
from stressweb.core.cores import cores
from stressweb.core.errors import UserError
from stressweb.plugins.test_case import TestCase

STEPS = {"step 1": (1, 1), "2": (2, 2), "3": (3, 3), "4": (4, 4), "5": (5, 5), "6 to 8": (6, 8), "from 9": (9, 99)}
"""The columns of failing steps: the first and the last step that each counts."""


def lines(site: str | None) -> list[Line]:
    """Return every case of a site, or, without one, how many cases the sites have; proves all of them first.

    Raises UserError for an unknown site.
    """
    if site is not None:
        if site not in registry.site_names():
            raise UserError(unknown("site", site, registry.site_names(), command="stressweb list sites"))
        return [_case(case) for case in _proven(site)]
    names = registry.SITES.working()
    # Spawned, as workers are: a fork would take threads and open files along.
    with ProcessPoolExecutor(
        min(cores(), len(names)), mp_context=get_context("spawn"), initializer=registry.load,
        initargs=(registry.EXTENSIONS.sources,),
    ) as pool:  # fmt: skip
        by_site = dict(zip(names, pool.map(_proven, names), strict=True))
    return [line for name, cases in by_site.items() for line in counts(name, cases)]


def _proven(site: str) -> Sequence[TestCase]:
    return site_cases(site, registry.Library()).cases


def _case(case: TestCase) -> Line:
    truth = case.truth
    return {"case": case.id, "steps": len(case.steps), "fails at": truth.step, "kind": truth.operator or "passing",
            "cause": truth.cause, "title": case.title}  # fmt: skip


def counts(site: str, cases: Iterable[TestCase]) -> Iterator[Line]:
    """Yield a line for each kind of case of a site: how many there are, and at which steps they fail."""
    steps: dict[str, list[int | None]] = {}
    for case in cases:
        steps.setdefault(case.truth.operator or "passing", []).append(case.truth.step)
    for kind, failing in sorted(steps.items(), key=lambda entry: (entry[0] != "passing", entry[0])):
        at_step = Counter(step for step in failing if step is not None)
        columns = {
            heading: sum(number for step, number in at_step.items() if first <= step <= last)
            for heading, (first, last) in STEPS.items()
        }
        yield {"site": site, "kind": kind, "cases": len(failing), **columns}
