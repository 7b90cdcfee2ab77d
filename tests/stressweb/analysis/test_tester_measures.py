"""Testers' measures, checked with the published tables, a second computation and properties."""

import re
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from math import comb
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stressweb.analysis.tester_measures import NAMES, Judged, mean_over_sites, measures, passing_rate, rates, stability
from stressweb.core.verdict import NoVerdict, Outcome, Verdict

# From Tables 2 and 4 of "Are Autonomous Web Agents Good Testers?": the only counts whose rounded figures are those
# printed there. Counts: TN FP FN AFB AFA AFC; figures: Acc Spec Sens AER HER SMER TruAcc.
PUBLISHED = {
    "SeeAct-ATA 4o Classifieds": ((5, 10, 5, 6, 3, 1), "0.50 0.33 0.67 0.30 0.15 0.45 0.20"),
    "SeeAct-ATA 4o Postmill": ((12, 6, 9, 2, 1, 4), "0.56 0.67 0.44 0.13 0.07 0.20 0.47"),
    "SeeAct-ATA 4o OneStopShop": ((22, 7, 13, 3, 0, 4), "0.59 0.76 0.35 0.17 0.00 0.17 0.53"),
    "PinATA 4o Postmill": ((11, 7, 1, 0, 2, 13), "0.76 0.61 0.94 0.00 0.06 0.06 0.71"),
    "PinATA 4o OneStopShop": ((18, 11, 2, 4, 1, 13), "0.73 0.62 0.90 0.09 0.02 0.11 0.63"),
    "PinATA Sonnet Classifieds": ((4, 11, 1, 2, 2, 10), "0.60 0.27 0.93 0.07 0.07 0.14 0.47"),
    "PinATA Sonnet Postmill": ((8, 10, 0, 2, 1, 13), "0.71 0.44 1.00 0.06 0.03 0.09 0.62"),
    "PinATA Sonnet OneStopShop": ((20, 9, 2, 4, 2, 12), "0.78 0.69 0.90 0.09 0.05 0.14 0.65"),
    "PinATA Gemini Classifieds": ((7, 8, 1, 2, 1, 11), "0.70 0.47 0.93 0.07 0.04 0.11 0.60"),
    "PinATA Gemini Postmill": ((8, 10, 3, 1, 1, 11), "0.62 0.44 0.81 0.04 0.04 0.07 0.56"),
}
PRINTED = ("Acc", "Spec", "Sens", "AER", "HER", "SMER", "TruAcc")
COUNTED = (Outcome.TN, Outcome.FP, Outcome.FN, Outcome.AFB, Outcome.AFA, Outcome.AFC)
# By the paper's definitions of AER, HER and SMER, which its tables do not follow.
DEFINED = {
    "SeeAct-ATA 4o Classifieds": "0.60 0.30 0.90",
    "SeeAct-ATA 4o OneStopShop": "0.43 0.00 0.43",
    "PinATA Sonnet Classifieds": "0.14 0.14 0.29",
    "PinATA Gemini Postmill": "0.08 0.08 0.15",
}
MISSING = {"pass": Outcome.PASSING_WITHOUT_VERDICT, "fail": Outcome.FAILING_WITHOUT_VERDICT}
BAD = {"AER", "HER", "SMER"}


def counts(name: str) -> Counter[Outcome]:
    return Counter(dict(zip(COUNTED, PUBLISHED[name][0], strict=True)))


def printed(measured: dict[str, Fraction | None], names: Sequence[str]) -> str:
    return " ".join("n/a" if (rate := measured[name]) is None else f"{float(rate):.2f}" for name in names)


@pytest.mark.parametrize("name", PUBLISHED)
def test_ten_published_rows_follow_from_their_counts(name: str) -> None:
    assert printed(rates(counts(name), "pinata-table"), PRINTED) == PUBLISHED[name][1]


@pytest.mark.parametrize("name", DEFINED)
def test_shares_of_alarms_at_a_wrong_step_follow_the_definitions(name: str) -> None:
    assert printed(rates(counts(name)), ("AER", "HER", "SMER")) == DEFINED[name]


def test_the_documents_say_how_to_get_the_printed_figures(capsys: pytest.CaptureFixture[str]) -> None:
    text = (Path(__file__).parents[3] / "docs/testers.md").read_text("utf-8")
    *_, block = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    exec(block, {})
    comments = re.findall(r"# (\S+): (\S+),", block)
    assert capsys.readouterr().out.split() == [exact for exact, _ in comments]
    assert [f"{float(Fraction(exact)):.2f}" for exact, _ in comments] == [rounded for _, rounded in comments]
    # The printed figure is that of the row in Table 2.
    assert (comments[1][1], len(comments)) == (PUBLISHED["SeeAct-ATA 4o Postmill"][1].split()[3], 2)


def test_sites_are_averaged_before_anything_is_rounded() -> None:
    sites = [counts(name) for name in PUBLISHED if name.startswith("SeeAct")]
    assert printed(mean_over_sites(sites), ("Acc", "Spec", "Sens", "TruAcc")) == "0.55 0.59 0.48 0.40"
    # The mean of the rounded rows is 0.27, and the paper prints 0.28.
    assert printed(mean_over_sites(sites, "pinata-table"), ("SMER",)) == "0.28"
    assert mean_over_sites([*sites, Counter({Outcome.TN: 1})])["Sens"] is None
    assert mean_over_sites([])["Acc"] is None


def test_undefined_rates_are_not_zero() -> None:
    passing = rates(Counter({Outcome.TN: 3, Outcome.FP: 1}))
    assert {name for name in NAMES if passing[name] is None} == {"Sens", "AER", "HER", "SMER", "TruSens", "BalAcc"}
    assert passing["Spec"] == Fraction(3, 4)
    assert set(rates({}).values()) == {None}
    as_printed = rates(Counter({Outcome.TN: 3, Outcome.FP: 1}), "pinata-code")
    assert (as_printed["SMER"], as_printed["Sens"], as_printed["Spec"]) == (Fraction(0), Fraction(0), Fraction(3, 4))
    assert set(rates({}, "pinata-code").values()) == {None}
    assert rates(Counter({Outcome.FN: 2}), "pinata-table")["AER"] is None


tallies = st.dictionaries(st.sampled_from(Outcome), st.integers(0, 9)).map(Counter[Outcome])


@given(tallies)
def test_measures_equal_a_second_computation_over_single_episodes(tally: Counter[Outcome]) -> None:
    """Each episode is a row of truth, alarm (None: no verdict) and outcome."""
    rows = [(ending in (*COUNTED[2:], MISSING["fail"]), None if "verdict" in ending else ending in COUNTED[1:2] + COUNTED[3:],
             ending) for ending in tally.elements()]  # fmt: skip
    failing = [row for row in rows if row[0]]
    passing = [row for row in rows if not row[0]]
    raised = [row for row in failing if row[1] is not False]
    expected = {
        "Acc": (sum(row[1] == row[0] for row in rows), len(rows)),
        "Spec": (sum(row[1] is False for row in passing), len(passing)),
        "Sens": (sum(row[1] is True for row in failing), len(failing)),
        "SMER": (sum(row[2] != "AFC" for row in raised), len(raised)),
        "TruSens": (sum(row[2] == "AFC" for row in failing), len(failing)),
        "TruAcc": (sum(row[2] in ("AFC", "TN") for row in rows), len(rows)),
    }
    exact = rates(tally)
    assert {name: exact[name] for name in expected} == {
        name: Fraction(numerator, denominator) if denominator else None
        for name, (numerator, denominator) in expected.items()
    }


@given(tallies)
def test_measures_keep_their_bounds(tally: Counter[Outcome]) -> None:
    exact = rates(tally)
    assert all(0 <= rate <= 1 for rate in exact.values() if rate is not None)
    if exact["Sens"] is not None and exact["TruSens"] is not None:
        assert exact["TruSens"] <= exact["Sens"]
    if not tally[MISSING["fail"]] and exact["SMER"] is not None:
        assert exact["SMER"] == (exact["AER"] or 0) + (exact["HER"] or 0)


@given(tallies, st.sampled_from(COUNTED))
def test_ending_without_a_verdict_never_pays(tally: Counter[Outcome], instead_of: Outcome) -> None:
    tally[instead_of] += 1
    crashed = tally.copy()
    crashed[instead_of] -= 1
    crashed[MISSING["pass" if instead_of in ("TN", "FP") else "fail"]] += 1
    before, after = rates(tally), rates(crashed)
    for name in NAMES:
        with_verdict, without = before[name], after[name]
        if with_verdict is None:
            # A crash does not improve an unmeasured rate.
            assert without is None or (without == 1 and name in BAD)
        else:
            assert without is not None
            assert without >= with_verdict if name in BAD else without <= with_verdict


@given(tallies)
def test_a_rate_lies_in_its_interval(tally: Counter[Outcome]) -> None:
    episodes = [Judged(str(number), number, ending) for number, ending in enumerate(tally.elements())]
    for measure in measures(episodes).values():
        if measure.interval is not None:
            assert measure.rate is not None
            low, high = measure.interval
            assert 0 <= low <= float(measure.rate) + 1e-9
            assert float(measure.rate) - 1e-9 <= high <= 1


def test_families_that_agree_with_themselves_widen_the_interval() -> None:
    """Ten families of one passing and three failing cases, each judged entirely right or entirely wrong."""
    endings = [(Outcome.TN, Outcome.AFC), (Outcome.FP, Outcome.FN)]
    in_families = [
        Judged(f"{family}/{case}", family, endings[family % 2][case > 0]) for family in range(10) for case in range(4)
    ]
    narrow = [episode._replace(family=number) for number, episode in enumerate(in_families)]
    for name in ("Acc", "TruAcc", "BalAcc", "Sens"):
        families, without_families = measures(in_families)[name], measures(narrow)[name]
        assert families.rate == without_families.rate == Fraction(1, 2)
        assert families.interval is not None
        assert without_families.interval is not None
        assert families.interval.high - families.interval.low > 1.2 * (
            without_families.interval.high - without_families.interval.low
        )
    assert measures(in_families[:16])["Acc"].interval is None, "four families are too few"


@pytest.mark.parametrize("name", ["Spec", "TruSens", "BalAcc"])
def test_intervals_cover(name: str) -> None:
    """Testers with a Spec of 0.8, and alarms at the failing step in 0.7 of failing cases, at another in 0.2."""
    true = {"Spec": 0.8, "TruSens": 0.7, "BalAcc": 0.85}[name]
    draw, covered, runs = Random(7), 0, 300
    for _ in range(runs):
        episodes = [
            Judged(f"{case}", case // 2, draw.choices([Outcome.TN, Outcome.FP], [8, 2])[0] if case % 2 else
                   draw.choices([Outcome.AFC, Outcome.AFB, Outcome.FN], [7, 2, 1])[0])
            for case in range(60)
        ]  # fmt: skip
        interval = measures(episodes)[name].interval
        assert interval is not None
        covered += interval.low <= true <= interval.high
    # Of 300 intervals at 95 % that cover at their level, fewer than 272 cover once in a thousand times.
    assert covered >= 272


def test_repeats_that_end_alike_are_stable() -> None:
    passed, failed = Verdict(verdict="pass"), Verdict(verdict="fail", step=4)
    elsewhere, silent, broken = (
        Verdict(verdict="fail", step=6),
        NoVerdict(reason="tester"),
        NoVerdict(reason="infrastructure"),
    )
    assert stability([[passed, passed], [failed, failed, failed]]) == 1
    assert stability([[passed, passed], [failed, elsewhere]]) == Fraction(1, 2)
    assert stability([[passed, passed, failed]]) == Fraction(1, 3)
    assert stability([[silent, silent], [silent, passed]]) == Fraction(1, 2)
    assert stability([[passed, broken], [passed]]) is None


@pytest.mark.parametrize(("tries", "expected"), [(1, 0.0754), (2, 0.4565), (3, 0.7688)])
def test_a_tester_that_tries_again_passes_as_often_as_the_formula_says(tries: int, expected: float) -> None:
    assert passing_rate(0.35, tries, 6) == pytest.approx(expected, abs=0.00005)
    # By counting over all numbers of lost tries instead: an action works unless all of its tries are lost.
    works = sum(comb(tries, lost) * 0.35**lost * 0.65 ** (tries - lost) for lost in range(tries))
    assert passing_rate(0.35, tries, 6) == pytest.approx(works**6)
