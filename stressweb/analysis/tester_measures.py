"""Measures of a tester as in the paper (SeeAct-ATA and PinATA), computed from outcomes, each with an interval.

    Acc      (TP + TN) / N        right verdicts
    Spec     TN / P               passing cases that are called passing; 1 - Spec is the rate of false alarms
    Sens     TP / F               failing cases that are called failing, at whichever step
    AER      AFB / TP             alarms at a step before the failing one
    HER      AFA / TP             alarms at a step after it
    SMER     (AFB + AFA) / TP     alarms at a wrong step
    TruAcc   (AFC + TN) / N       right verdicts at the right step
    TruSens  AFC / F              failing cases that are called failing at the right step
    BalAcc   (Spec + Sens) / 2

P and F are the passing and failing cases, N all cases, TP = AFB + AFC + AFA. An episode without a verdict is wrong in
every measure of its case: it stays in P, F and N, and counts as an alarm at a wrong step. So a tester never scores
better without a verdict than with one. If every episode has a verdict, the measures equal the paper's.
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
"""Number of episodes with each outcome; missing outcomes count 0."""
type Compat = Literal["paper", "pinata-code", "pinata-table"]
"""`paper`: as defined. `pinata-code`: 0 if a measure is undefined, as in PinATA's evaluation. `pinata-table`: AER, HER
and SMER divided by N * Sens, as in the paper's tables."""

NAMES = ("Acc", "Spec", "Sens", "AER", "HER", "SMER", "TruAcc", "TruSens", "BalAcc")
_MISSED = Outcome.FAILING_WITHOUT_VERDICT
_PASSING = (Outcome.TN, Outcome.FP, Outcome.PASSING_WITHOUT_VERDICT)
_ALARMS = (Outcome.AFB, Outcome.AFC, Outcome.AFA)
_FAILING = (*_ALARMS, Outcome.FN, _MISSED)
# An episode without a verdict counts as an alarm at a wrong step, so that it does not shrink the denominator.
_LOCATED = (*_ALARMS, _MISSED)


class Measure(NamedTuple):
    """A measure of a tester, 0 to 1."""

    rate: Fraction | None
    """None if undefined: there is no case of its kind, or no alarm."""
    interval: Interval | None
    """95 % interval over families of cases; None below 5 families."""


class Judged(NamedTuple):
    """An episode of a test case with its outcome."""

    case: str
    family: Hashable
    """The family of cases that a tester tends to judge alike: a passing case and the failing cases made from it."""
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
"""Outcomes in the numerator and in the denominator of each measure."""
_WRONG_DENOMINATOR = ("AER", "HER", "SMER")


def rates(tally: Tally, compat: Compat = "paper") -> dict[str, Fraction | None]:
    """Return the exact value of every measure by its name; None if undefined."""
    by_name = {name: _rate(tally, numerator, denominator) for name, (numerator, denominator) in _SHARES.items()}
    spec, sens, cases = by_name["Spec"], by_name["Sens"], sum(tally.values())
    by_name["BalAcc"] = None if spec is None or sens is None else (spec + sens) / 2
    if compat == "pinata-table":
        for name in _WRONG_DENOMINATOR:
            by_name[name] = _count(tally, _SHARES[name][0]) / (cases * sens) if sens else None
    if compat == "pinata-code":
        # None without cases: PinATA's evaluation ends with a division by zero.
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
        # Weights 1 / P for passing and 1 / F for failing cases, so that the mean of all is the mean of both rates.
        passing, failing = _count(tally, _PASSING), _count(tally, _FAILING)
        if not passing or not failing:
            return None
        numerator = _SHARES["Acc"][0]
        weight = {outcome: 1 / (passing if outcome in _PASSING else failing) for outcome in Outcome}
    else:
        numerator, denominator = _SHARES[name]
        weight = {outcome: float(outcome in denominator) for outcome in Outcome}
    denominators = [math.fsum(weight[episode.outcome] for episode in case) for case in cases]
    numerators = [
        math.fsum(weight[episode.outcome] for episode in case if episode.outcome in numerator) for case in cases
    ]
    return rate_interval(numerators, denominators, LEVEL, [case[0].family for case in cases])


def mean_over_sites(tallies: Iterable[Tally], compat: Compat = "paper") -> dict[str, Fraction | None]:
    """Return the mean of each measure over sites with equal weight, as in the paper.

    If a measure is undefined on a site, so is its mean.
    """
    sites = [rates(tally, compat) for tally in tallies]
    return {name: _mean([site[name] for site in sites]) for name in NAMES}


def stability(answers: Iterable[Sequence[Answer]]) -> Fraction | None:
    """Return how often two episodes of a case agree: pass, fail at the same step, or no verdict in both.

    `answers` has the answers of each case, one for each repeat. Cases with at least two repeats have equal weight; None
    without such a case. Infrastructure errors are left out.
    """
    agreeing: list[Fraction] = []
    for repeats in answers:
        endings = [_ending(answer) for answer in repeats if not _is_infrastructure(answer)]
        pairs = [*combinations(endings, 2)]
        if pairs:
            agreeing.append(Fraction(sum(first == second for first, second in pairs), len(pairs)))
    return _mean(agreeing)


def passing_rate(loss: float, tries: int, actions: int) -> float:
    """Return how often a tester completes a case if it tries each action until it works, at most `tries` times.

    Every try visibly fails with probability `loss`; the case passes if each of its `actions` works in the end.
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
