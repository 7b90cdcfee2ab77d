"""Comparisons as text, for the terminal, JUnit and the page of nights."""

from stressweb.analysis.comparison import COMPARABLE, Comparison, Line
from stressweb.analysis.margin import bound
from stressweb.analysis.statistics import fewest_to_test
from stressweb.analysis.wording import families_text, p_value, percent, points, span
from stressweb.core.words import counted

_WIDTH = 10
"""Width of the longest line name."""


def comparison_lines(comparison: Comparison) -> list[str]:
    """Return the lines of one agent: its name, the number of tasks, blocks and cells, and the results."""
    tasks = families_text(comparison.clean.tasks, comparison.clean.families)
    size = f"{tasks}, {comparison.complete} of {counted(comparison.blocks, 'block')}"
    agent = agent_text(comparison.agent, comparison.baseline)
    lines = [
        *headline(comparison),
        f"{agent}: {size}, {counted(comparison.cells, 'cell')}, {share(comparison.equal, comparison.cells)} equal",
        f"  {'robustness':<{_WIDTH}}  {sentence(comparison.robustness)}",
        f"  {'clean':<{_WIDTH}}  {sentence(comparison.clean)}",
    ]
    # With one condition, its change is that of `robustness`.
    if len(comparison.conditions) > 1 and comparison.comparable:
        each = ", ".join(f"{label} {change(line)}" for label, line in comparison.by_condition.items())
        lines.append(f"  {'conditions':<{_WIDTH}}  {each} (exploratory)")
    if comparison.robustness.verdict == "not comparable":
        lines.append(f"  {incomparable_reason(comparison)}")
    if comparison.left_out:
        lines.append(f"  not in the baseline, so not compared: {', '.join(comparison.left_out)}")
    return lines


def headline(comparison: Comparison) -> list[str]:
    """Return the first line for an agent without a verdict; no line for one with a verdict."""
    if not (comparison.comparable and comparison.undecided) or comparison.regressed:
        return []
    fails = "fails" if comparison.tasks == 1 else "fail"
    failing = f"{comparison.newly_failing} of {counted(comparison.tasks, 'task')} newly {fails}"
    return [f"{agent_text(comparison.agent, comparison.baseline)}: {failing}; {_too_small(comparison.clean)}"]


def _too_small(line: Line) -> str:
    """Return why there is no verdict: too few families for a test, or a test without a finding."""
    if line.testable:
        return "no verdict: the test finds no decline, and the interval does not rule one out"
    unit = "" if line.families == line.tasks else " families" if line.families > 1 else " family"
    return f"too few for a test ({line.families}{unit}, need {fewest_to_test()})"


def agent_text(agent: str, baseline: str) -> str:
    """Return an agent's name, with its name in the baseline if they differ."""
    return agent if agent == baseline else f"{agent} (baseline: {baseline})"


def sentence(line: Line) -> str:
    """Return a line as text: "regressed: −50 points [−71, −24], p <.001"."""
    if line.verdict == "not comparable":
        return line.verdict
    # Without change and p-value, because every pair of cells is equal.
    if line.verdict == "unchanged":
        return f"unchanged ({line.cells})"
    verdict = _verdict_words(line)
    p = p_value(line.p_value)
    figures = " ".join(filter(None, (f"{change(line)} points", span(line.interval))))
    text = f"{verdict}: {figures}, p {'' if p.startswith('<') else '= '}{p}"
    if line.sites_interval:
        text += f"; over sites {span(line.sites_interval)}"
    # The interval does not rule out a decline of the margin's size.
    if line.verdict == "inconclusive":
        text += f"; margin {bound(line.margin)}"
    return text


def _verdict_words(line: Line) -> str:
    if line.verdict == "non-inferior":
        return f"non-inferior within {bound(line.margin)} points"
    return _undecided_words(line) if line.verdict == "inconclusive" else line.verdict


def _undecided_words(line: Line) -> str:
    # "inconclusive" would suggest that a test was possible.
    return "inconclusive" if line.testable else "no verdict"


def brief(line: Line | None) -> str:
    """Return verdict, change and interval of a line, in points: "regressed −50 [−71, −24]"."""
    if line is None:
        return "–"
    if line.verdict in ("unchanged", "not comparable"):
        return sentence(line)
    verdict = _undecided_words(line) if line.verdict == "inconclusive" else line.verdict
    return " ".join(filter(None, (verdict, change(line), span(line.interval))))


def change(line: Line) -> str:
    """Return the change of a line in percentage points."""
    return "–" if line.change is None else points(line.change)


def share(part: int, whole: int) -> str:
    """Return a part as a percentage."""
    return percent(part / whole if whole else None)


def incomparable_reason(comparison: Comparison) -> str:
    """Return why two runs are not comparable, and the remedy."""
    if not comparison.conditions:
        return "no disturbed condition is in both runs; run the conditions of the baseline"
    reasons, blocks = [], counted(comparison.blocks, "block")
    if comparison.unpaired:
        reasons.append(
            f"{comparison.unpaired} of {blocks} {'has' if comparison.unpaired == 1 else 'have'} no"
            " counterpart in the baseline: task, site, mode or seed is another; record a new baseline"
        )
    if comparison.unfinished:
        reasons.append(
            f"{comparison.unfinished} of {blocks} {'is' if comparison.unfinished == 1 else 'are'} not"
            " finished, or ended in an error, in one of the runs; continue it with --resume"
        )
    return f"at least {percent(COMPARABLE)} of the blocks must be complete: {'; '.join(reasons) or 'none is planned'}"
