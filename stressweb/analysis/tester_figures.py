"""Figures of an agent that judges test cases, under one condition and compared with clean."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from statistics import fmean

from pydantic import BaseModel, ConfigDict

from stressweb.analysis.graded import Graded
from stressweb.analysis.pairing import families, family_of, grouped, paired_tasks, task_of
from stressweb.analysis.statistics import Interval, difference_interval
from stressweb.analysis.tester_measures import Judged, Measure, measures, stability
from stressweb.core.task_id import TaskId
from stressweb.core.verdict import Answer, NoVerdict, Outcome, Truth, Verdict, outcome


class VerdictFigures(BaseModel):
    """One agent under one condition, over its counted episodes of test cases. Rates and differences are 0 to 1."""

    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True)

    passing: int
    """Episodes of passing cases."""
    failing: int
    """Episodes of failing cases."""
    no_verdict: int
    """Episodes without a verdict; they are wrong in every rate."""
    right: int
    """Episodes with the right verdict and, for failing cases, the right step."""
    outcomes: dict[Outcome, int]
    """Episodes by outcome: the confusion matrix, with alarms before, at and after the failing step."""
    accuracy: float | None
    """Acc: right verdicts, at whichever step."""
    accuracy_interval: Interval | None
    """95 % interval over families of cases, like all intervals below."""
    specificity: float | None
    """Spec: passing cases that are called passing."""
    specificity_interval: Interval | None
    """Its interval."""
    false_alarms: int
    """FP: passing cases that are called failing."""
    false_alarm_rate: float | None
    """FAR: share of passing cases that are called failing; episodes without a verdict are not alarms."""
    false_alarm_difference: float | None
    """FAR minus FAR under clean: mean over passing cases with a pair of episodes."""
    false_alarm_difference_interval: Interval | None
    """Its interval by Bonett and Price; none below 5 families."""
    disturbed_alarms: int
    """False alarms at a step inside which a mode delivered something."""
    sensitivity: float | None
    """Sens: failing cases that are called failing, at whichever step."""
    sensitivity_interval: Interval | None
    """Its interval."""
    true_sensitivity: float | None
    """TruSens: failing cases that are called failing at the right step."""
    true_sensitivity_interval: Interval | None
    """Its interval."""
    true_sensitivity_difference: float | None
    """TruSens minus TruSens under clean: mean over failing cases with a pair of episodes."""
    true_sensitivity_difference_interval: Interval | None
    """Its interval by Bonett and Price; none below 5 families."""
    missed: int
    """FN: failing cases that are called passing."""
    disturbed_misses: int
    """Missed failing cases with a mode that delivered something inside the failing step."""
    hidden_bugs: int
    """Bugs of the site that stress hides: those of `disturbed_misses` whose case fails because of a bug, instead of a
    changed text."""
    true_accuracy: float | None
    """TruAcc: right verdicts at the right step."""
    true_accuracy_interval: Interval | None
    """Its interval."""
    balanced_accuracy: float | None
    """Mean of specificity and sensitivity."""
    balanced_accuracy_interval: Interval | None
    """Its interval."""
    early: float | None
    """AER: alarms before the failing step / alarms on failing cases."""
    early_interval: Interval | None
    """Its interval."""
    late: float | None
    """HER: alarms after the failing step / alarms on failing cases."""
    late_interval: Interval | None
    """Its interval."""
    misplaced: float | None
    """SMER: alarms at a wrong step / alarms on failing cases."""
    misplaced_interval: Interval | None
    """Its interval."""
    vacuous: int
    """Right verdicts although the recording does not show the expected result of a step that was called passing."""
    ahead: int | None
    """Actions ahead of the script: for a later step, before a page showed the expected result of the current step; None
    if unknown for every episode."""
    stability: float | None
    """How often two episodes of the same case end alike; None without repeats."""


def tester_figures(counted: Sequence[Graded], clean: Sequence[Graded]) -> VerdictFigures:
    """Return the figures of counted episodes of test cases; `clean` are their partners, none for clean itself."""
    by_name = measures([Judged(episode.task, family_of(episode), Outcome(episode.judged)) for episode in counted])
    passing = [episode for episode in counted if episode.truth == "pass"]
    failing = [episode for episode in counted if episode.truth == "fail"]
    alarms = [episode for episode in passing if episode.tester_verdict == "fail"]
    missed = [episode for episode in failing if episode.tester_verdict == "pass"]
    disturbed_misses = [episode for episode in missed if episode.truth_step in episode.disturbed_steps]
    alarm_change, alarm_interval = _change(passing, clean, lambda episode: episode.tester_verdict == "fail")
    caught_change, caught_interval = _change(failing, clean, lambda episode: episode.success)
    return VerdictFigures(
        passing=len(passing),
        failing=len(failing),
        no_verdict=sum(episode.tester_verdict == "none" for episode in counted),
        right=sum(episode.success for episode in counted),
        outcomes=dict(Counter(Outcome(episode.judged) for episode in counted if episode.judged)),
        accuracy=_rate(by_name["Acc"]),
        accuracy_interval=by_name["Acc"].interval,
        specificity=_rate(by_name["Spec"]),
        specificity_interval=by_name["Spec"].interval,
        false_alarms=len(alarms),
        false_alarm_rate=len(alarms) / len(passing) if passing else None,
        false_alarm_difference=alarm_change,
        false_alarm_difference_interval=alarm_interval,
        disturbed_alarms=sum(episode.tester_step in episode.disturbed_steps for episode in alarms),
        sensitivity=_rate(by_name["Sens"]),
        sensitivity_interval=by_name["Sens"].interval,
        true_sensitivity=_rate(by_name["TruSens"]),
        true_sensitivity_interval=by_name["TruSens"].interval,
        true_sensitivity_difference=caught_change,
        true_sensitivity_difference_interval=caught_interval,
        missed=len(missed),
        disturbed_misses=len(disturbed_misses),
        hidden_bugs=sum(TaskId.read(episode.task).has_bug for episode in disturbed_misses),
        true_accuracy=_rate(by_name["TruAcc"]),
        true_accuracy_interval=by_name["TruAcc"].interval,
        balanced_accuracy=_rate(by_name["BalAcc"]),
        balanced_accuracy_interval=by_name["BalAcc"].interval,
        early=_rate(by_name["AER"]),
        early_interval=by_name["AER"].interval,
        late=_rate(by_name["HER"]),
        late_interval=by_name["HER"].interval,
        misplaced=_rate(by_name["SMER"]),
        misplaced_interval=by_name["SMER"].interval,
        vacuous=sum(episode.success and episode.grounded is False for episode in counted),
        ahead=sum(known) if (known := [episode.ahead for episode in counted if episode.ahead is not None]) else None,
        stability=_stability(counted),
    )


def missing_verdicts_as_fails(episodes: Iterable[Graded]) -> list[Graded]:
    """Return episodes with every test case without a verdict counted as failing, as the paper does.

    Such a case fails at the step at which its episode ended. Tasks, cases with unknown truth, and infrastructure errors
    are unchanged.
    """
    return [_as_fail(episode) if episode.is_case else episode for episode in episodes]


def _as_fail(episode: Graded) -> Graded:
    if episode.tester_verdict in ("pass", "fail") or episode.truth not in ("pass", "fail"):
        return episode
    truth = Truth(verdict=episode.truth, step=episode.truth_step, cause=episode.truth_cause)
    ended = NoVerdict(reason="tester", step=episode.tester_step or 1)
    judged = outcome(truth, ended, missing_verdict_fails=True)
    assert judged is not None
    changes = {
        "tester_verdict": "fail",
        "tester_step": ended.step,
        "judged": judged.value,
        "success": judged is Outcome.AFC,
    }
    return episode.model_copy(update=changes)


def _rate(measure: Measure) -> float | None:
    return None if measure.rate is None else float(measure.rate)


def _change(
    stressed: Sequence[Graded], clean: Sequence[Graded], holds: Callable[[Graded], bool]
) -> tuple[float | None, Interval | None]:
    """Return the change of a share against clean, over cases with a pair of episodes, and its interval."""
    # Pairs compare `success`, so `holds` replaces it.
    arms = [[episode.model_copy(update={"success": holds(episode)}) for episode in arm] for arm in (clean, stressed)]
    pairs = paired_tasks(*arms)
    changes = [pair.stressed.success - pair.clean.success for pair in pairs.values()]
    if not changes:
        return None, None
    return fmean(changes), difference_interval(changes, families=families(stressed, pairs))


def _stability(counted: Sequence[Graded]) -> float | None:
    # Repeats of a case are episodes with the same draws.
    repeats = grouped(counted, _draws).values()
    agreement = stability([[_answer(episode) for episode in own] for own in repeats])
    return None if agreement is None else float(agreement)


def _draws(episode: Graded) -> Hashable:
    return task_of(episode), episode.world_seed, episode.stress_seed


def _answer(episode: Graded) -> Answer:
    if episode.tester_verdict in (None, "none"):
        return NoVerdict(reason="tester", step=episode.tester_step or 1)
    return Verdict.model_validate({"verdict": episode.tester_verdict, "step": episode.tester_step})
