"""A run as JUnit XML: the tester's verdict is the result, and the truth is in the text."""

import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import cast
from xml.etree import ElementTree as ET

import pytest

import stressweb as sw
from stressweb.core.verdict import Truth
from stressweb.log.episode import Episode
from stressweb.log.store import FILE
from stressweb.plugins.test_case import CaseStep, TestCase, brief, step_text
from stressweb.runner.export.junit_suite import case_element
from tests.support.judged_cases import FAILING, PASSING, judged

GOLDEN = Path(__file__).parents[2] / "golden"
UNKNOWN = Truth(verdict="unknown")
STEPS = tuple(CaseStep(action=f'Press "{name}"', expected=f'"{name}" is shown') for name in ("One", "Two", "Three"))
CASE = TestCase(id="cases/shop/case-0", title="Case", steps=(*STEPS, CaseStep(action="Open it")), truth=PASSING)


@pytest.mark.parametrize(
    ("truth", "step", "kind", "message", "text"),
    [
        (PASSING, None, "passed", "True verdict: the case passes.", ""),
        (
            PASSING,
            2,
            "failure",
            'step 2: it fails: Press "Two". Expected: "Two" is shown.',
            "True verdict: the case passes.",
        ),
        (FAILING, 3, "failure", 'step 3: it fails: Press "Three".', "True verdict: step 3 fails (assertion)."),
        (FAILING, None, "passed", "True verdict: step 3 fails (assertion).", ""),
        (FAILING, "none", "error", "no verdict", "True verdict: step 3 fails (assertion)."),
        (UNKNOWN, None, "passed", "The true verdict of this case is unknown.", ""),
        (UNKNOWN, 2, "failure", "step 2: it fails", "The true verdict of this case is unknown."),
        (Truth(verdict="fail", step=3), 3, "failure", "step 3: it fails", "True verdict: step 3 fails. The"),
        (PASSING, 9, "failure", "step 9: it fails", ""),
    ],
)
def test_a_verdict_is_a_result(truth: Truth, step: int | str | None, kind: str, message: str, text: str) -> None:
    graded = judged(0, truth, step)
    episode = cast("Episode", SimpleNamespace(message="My verdict.", grade=None))
    case_result = case_element(episode, graded, brief(CASE))
    assert case_result.kind == kind
    assert case_result.message.startswith(message)
    assert text in case_result.text


def test_the_step_of_a_case_is_found_in_its_words() -> None:
    text = brief(CASE)
    assert step_text(text, 2) == ['Press "Two".', 'Expected: "Two" is shown.']
    assert step_text(text, 4) == ["Open it."]
    assert step_text(text, 5) == []
    own = CASE.model_copy(update={"title": "2. Look\n4. Go", "steps": (*STEPS[:1], CaseStep(action="See:\n3. It!"))})
    assert step_text(brief(own), 2) == ["See: 3. It!"]
    assert step_text(brief(own), 3) == step_text(brief(own), 4) == []
    assert step_text("Put it into the cart.", 1) == []


def test_a_run_of_tasks_is_written_as_tests(tmp_path: Path) -> None:
    (tmp_path / "golden").mkdir()
    shutil.copy(GOLDEN / FILE, tmp_path / "golden")
    folder = sw.open_run(tmp_path / "golden").export("junit")
    root = ET.parse(folder / "junit.xml").getroot()
    assert {suite.get("name") for suite in root} == {
        "naive.clean",
        "naive.remap@3",
        "resilient.clean",
        "resilient.remap@3",
    }
    episodes = sw.open_run(tmp_path / "golden").episodes()
    tests = [*root.iter("testcase")]
    assert len(tests) == len({(test.get("classname"), test.get("name")) for test in tests}) == len(episodes)
    assert int(root.get("failures") or 0) == sum(not episode.success for episode in episodes)
