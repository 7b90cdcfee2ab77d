"""How well a tester judges: the measures of the paper (SeeAct-ATA and PinATA), from outcomes, each with an interval.

    Acc      (TP + TN) / N        right verdicts
    Spec     TN / P               passing cases that are called passing; 1 - Spec is the rate of false alarms
    Sens     TP / F               failing cases that are called failing, at whichever step
    AER      AFB / TP             alarms at a step before the failing one
    HER      AFA / TP             alarms at a step after it
    SMER     (AFB + AFA) / TP     alarms at a wrong step
    TruAcc   (AFC + TN) / N       right verdicts at the right step
    TruSens  AFC / F              failing cases that are called failing at the right step
    BalAcc   (Spec + Sens) / 2

P and F are the passing and failing cases, N both, TP = AFB + AFC + AFA. An episode without a verdict is wrong in every
measure that its case can enter: it stays in P, F and N, and counts as an alarm at a wrong step. So a tester that ends
without a verdict never scores better than with one, and where every episode has a verdict these are the paper's.
"""

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Literal, NamedTuple

from stressweb.analysis.statistics import LEVEL, Interval, rate_interval
from stressweb.core.verdict import Answer, NoVerdict, Outcome

type Tally = Mapping[Outcome, int]
"""How many episodes have each outcome; what is not there counts 0."""
type Compat = Literal["paper", "pinata-code", "pinata-table"]
"""`paper`: as defined. `pinata-code`: 0 where a measure is undefined, as PinATA's evaluation prints it. `pinata-table`:
AER, HER and SMER over N * Sens, which is what the figures in the paper's tables were divided by."""

NAMES = ("Acc", "Spec", "Sens", "AER", "HER", "SMER", "TruAcc", "TruSens", "BalAcc")
_MISSED = Outcome.FAILING_WITHOUT_VERDICT
_PASSING = (Outcome.TN, Outcome.FP, Outcome.PASSING_WITHOUT_VERDICT)
_ALARMS = (Outcome.AFB, Outcome.AFC, Outcome.AFA)
_FAILING = (*_ALARMS, Outcome.FN, _MISSED)
# In every one of them an episode without a verdict is an alarm at a wrong step: it must not shrink what is divided by.
_LOCATED = (*_ALARMS, _MISSED)


class Measure(NamedTuple):
    """A measure of a tester, 0 to 1."""

    rate: Fraction | None
    """None where nothing could be measured: there is no case of its kind, or no alarm."""
    interval: Interval | None
    """Its 95 % interval over families of cases; None below 5 families."""


class Judged(NamedTuple):
    """One episode of a test case, with its outcome."""

    case: str
    family: Hashable
    """What cases share that a tester judges alike: a passing case and the failing ones made from it."""
    outcome: Outcome


def _share(
    numerator: Iterable[Outcome], denominator: Iterable[Outcome]
) -> tuple[frozenset[Outcome], frozenset[Outcome]]:
    return frozenset(numerator), frozenset(denominator)


_SHARES = {
    "Acc": _share((Outcome.TN, *_ALARMS), Outcome),
    "Spec": _share((Outcome.TN,), _PASSING),
    "Sens": _share(_ALARMS, _FAILING),
    "AER": _share((Outcome.AFB, _MISSED), _LOCATED),
    "HER": _share((Outcome.AFA, _MISSED), _LOCATED),
    "SMER": _share((Outcome.AFB, Outcome.AFA, _MISSED), _LOCATED),
    "TruAcc": _share((Outcome.TN, Outcome.AFC), Outcome),
    "TruSens": _share((Outcome.AFC,), _FAILING),
}
"""Of each measure the outcomes that count, and those that they are counted among."""
_WRONG_DENOMINATOR = ("AER", "HER", "SMER")


def rates(tally: Tally, compat: Compat = "paper") -> dict[str, Fraction | None]:
    """Return every measure by its name, exactly; None where it is undefined."""
    by_name = {name: _rate(tally, numerator, denominator) for name, (numerator, denominator) in _SHARES.items()}
    spec, sens, cases = by_name["Spec"], by_name["Sens"], sum(tally.values())
    by_name["BalAcc"] = None if spec is None or sens is None else (spec + sens) / 2
    if compat == "pinata-table":
        for name in _WRONG_DENOMINATOR:
            by_name[name] = _count(tally, _SHARES[name][0]) / (cases * sens) if sens else None
    if compat == "pinata-code":
        # Without any case, PinATA's evaluation ends with a division by zero.
        return {name: (Fraction(0) if cases else None) if rate is None else rate for name, rate in by_name.items()}
    return by_name


def measures(episodes: Sequence[Judged]) -> dict[str, Measure]:
    """Return every measure by its name, with its interval over families of cases."""
    tally = Counter(episode.outcome for episode in episodes)
    cases: dict[str, list[Judged]] = {}
    for episode in episodes:
        cases.setdefault(episode.case, []).append(episode)
    exact = rates(tally)
    return {name: Measure(exact[name], _interval(name, tally, [*cases.values()])) for name in NAMES}


def _interval(name: str, tally: Tally, cases: Sequence[Sequence[Judged]]) -> Interval | None:
    if name == "BalAcc":
        # Each passing case weighs as much as 1 of P, each failing one as 1 of F: the mean of all is that of both rates.
        passing, failing = _count(tally, _PASSING), _count(tally, _FAILING)
        if not passing or not failing:
            return None
        numerator = _SHARES["Acc"][0]
        weight = {outcome: 1 / (passing if outcome in _PASSING else failing) for outcome in Outcome}
    else:
        numerator, denominator = _SHARES[name]
        weight = {outcome: float(outcome in denominator) for outcome in Outcome}
    entered = [math.fsum(weight[episode.outcome] for episode in case) for case in cases]
    counted = [math.fsum(weight[episode.outcome] for episode in case if episode.outcome in numerator) for case in cases]
    return rate_interval(counted, entered, LEVEL, [case[0].family for case in cases])


def mean_over_sites(tallies: Iterable[Tally], compat: Compat = "paper") -> dict[str, Fraction | None]:
    """Return the mean of each measure over sites, every site with the same weight, as the paper averages.

    A measure that is undefined on a site is undefined in the mean: without that site it would be another mean.
    """
    sites = [rates(tally, compat) for tally in tallies]
    return {name: _mean([site[name] for site in sites]) for name in NAMES}


def stability(answers: Iterable[Sequence[Answer]]) -> Fraction | None:
    """Return how often two episodes of a case end alike: both pass, both fail at the same step, or both say nothing.

    `answers` are those of each case, one for each repeat. Every case with at least two counts the same; None without
    such a case. Infrastructure errors are left out.
    """
    agreeing: list[Fraction] = []
    for repeats in answers:
        endings = [_ending(answer) for answer in repeats if not _is_infrastructure(answer)]
        pairs = [*combinations(endings, 2)]
        if pairs:
            agreeing.append(Fraction(sum(first == second for first, second in pairs), len(pairs)))
    return _mean(agreeing)


def passing_rate(loss: float, tries: int, actions: int) -> float:
    """Return how often a tester that does each action, at most `tries` times until it works, gets through a case.

    Every try is lost with the chance `loss` and says so; the case passes if none of its `actions` fails for good.
    """
    return float((1 - loss**tries) ** actions)


def _is_infrastructure(answer: Answer) -> bool:
    return isinstance(answer, NoVerdict) and answer.reason == "infrastructure"


def _ending(answer: Answer) -> tuple[str, int | None]:
    return ("none", None) if isinstance(answer, NoVerdict) else (answer.verdict, answer.step)


def _count(tally: Tally, outcomes: Iterable[Outcome]) -> int:
    return sum(tally.get(outcome, 0) for outcome in outcomes)


def _rate(tally: Tally, numerator: Iterable[Outcome], denominator: Iterable[Outcome]) -> Fraction | None:
    cases = _count(tally, denominator)
    return Fraction(_count(tally, numerator), cases) if cases else None


def _mean(numbers: Sequence[Fraction | None]) -> Fraction | None:
    defined = [number for number in numbers if number is not None]
    return sum(defined, Fraction(0)) / len(defined) if defined and len(defined) == len(numbers) else None
