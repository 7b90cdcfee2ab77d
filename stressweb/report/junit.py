"""Comparisons as JUnit XML, for programs that show nightly test results.

Follows Jenkins' schema: `testsuites`, `testsuite`, `testcase` with `failure`, `error` or `skipped`.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple
from xml.etree import ElementTree as ET

from stressweb.analysis.comparison import Comparison, Line
from stressweb.analysis.comparison_text import incomparable_reason, sentence
from stressweb.core.errors import UserError
from stressweb.core.whole_file import check_folder

type Kind = Literal["passed", "failure", "error", "skipped"]

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 cannot represent."""
_OURS = '<testsuites name="stressweb"'
_HEAD = 200
"""Number of bytes at the beginning of a file that identify ours."""


class Case(NamedTuple):
    """One test case."""

    name: str
    kind: Kind
    message: str = ""
    text: str = ""
    """Further text, such as the commands that replay a failure."""


def junit(suites: Mapping[str, Sequence[Case]]) -> str:
    """Return suites of cases, by name, as one document."""
    root = ET.Element(
        "testsuites", {"name": "stressweb", **_counts([case for cases in suites.values() for case in cases])}
    )
    for name, cases in suites.items():
        suite = ET.SubElement(root, "testsuite", {"name": _clean(name), **_counts(cases)})
        for case in cases:
            # Jenkins groups tests by the class name up to its last dot.
            element = ET.SubElement(suite, "testcase", classname=_clean(f"stressweb.{name}"), name=_clean(case.name))
            # In JUnit, a passed test is an empty case.
            if case.kind != "passed":
                ET.SubElement(element, case.kind, _attributes(case)).text = _clean(case.text) or None
            elif case.message:
                ET.SubElement(element, "system-out").text = _clean(case.message)
    ET.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def cases(comparison: Comparison, replays: Mapping[str, Sequence[str]]) -> list[Case]:
    """Return the cases of one comparison: its two lines, and every newly failing task."""
    lines = {"robustness": comparison.robustness, "clean": comparison.clean}
    return cases_of_lines(
        lines,
        replays,
        regressed=comparison.regressed,
        comparable=comparison.comparable,
        reason=incomparable_reason(comparison),
    )


def cases_of_lines(
    lines: Mapping[str, Line], replays: Mapping[str, Sequence[str]], *, regressed: bool, comparable: bool, reason: str
) -> list[Case]:
    """Return the cases of two lines and of newly failing tasks, with the commands that run them again.

    `regressed` is the final result: a suspicion that a rerun did not confirm is not a regression, and a task that newly
    fails is a failure only if the agent has regressed. `reason` says why something is not `comparable`.
    """
    line_cases = [
        _case(name, line, regressed=regressed, reason="" if comparable else reason) for name, line in lines.items()
    ]
    # Single tasks flip by chance every night; as failures they would break a build without a regression.
    kind: Kind = "failure" if regressed else "skipped"
    message = "fails, and succeeded in the baseline" + ("" if regressed else "; no regression of the agent is shown")
    return [*line_cases, *(Case(task, kind, message, "\n".join(commands)) for task, commands in replays.items())]


def _case(name: str, line: Line, *, regressed: bool, reason: str) -> Case:
    if reason or line.verdict == "not comparable":
        # An error and not skipped, because build servers count skipped tests as passed, and there is no result.
        return Case(name, "error", f"not comparable: {reason}")
    if line.verdict == "regressed":
        message = sentence(line) if regressed else f"{sentence(line)}; not confirmed on a fresh stress seed"
        return Case(name, "failure" if regressed else "skipped", message)
    return Case(name, "skipped" if line.verdict == "inconclusive" else "passed", sentence(line))


def _counts(cases: Sequence[Case]) -> dict[str, str]:
    kinds = [case.kind for case in cases]
    counted = {"failures": "failure", "errors": "error", "skipped": "skipped"}
    return {"tests": str(len(kinds)), **{name: str(kinds.count(kind)) for name, kind in counted.items()}}  # type: ignore[arg-type]


def _attributes(case: Case) -> dict[str, str]:
    message = {"message": _clean(case.message)}
    return message if case.kind == "skipped" else {**message, "type": case.kind}


def _clean(text: str) -> str:
    return _FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text)


def name_of(comparison: Comparison) -> str:
    """Return the name of a comparison's suite."""
    return (
        comparison.agent
        if comparison.agent == comparison.baseline
        else f"{comparison.agent} against {comparison.baseline}"
    )


def check(path: Path) -> None:
    """Raise UserError if `path` is not an earlier file of ours, or its folder is missing."""
    refusal = f"{path} exists and is not a JUnit file of stressweb; choose another file"
    check_folder(path)
    if not path.exists():
        return
    if not path.is_file():
        raise UserError(refusal)
    with path.open("rb") as file:
        # The path is the user's: a misspelt option must not replace a foreign file.
        if _OURS.encode() not in file.read(_HEAD):
            raise UserError(refusal)
