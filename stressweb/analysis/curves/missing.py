"""Curves and comparisons without data in a run, and the commands to get it."""

from collections.abc import Iterator, Mapping, Sequence

from stressweb.analysis.curves.costs import Costs
from stressweb.analysis.curves.dose import DoseResponse
from stressweb.analysis.curves.estimands import FEWEST_SITES
from stressweb.analysis.curves.interaction import Interaction
from stressweb.analysis.curves.labels import dose, pair
from stressweb.analysis.curves.repeated import Repeated
from stressweb.analysis.curves.trend import FEWEST_SEVERITIES
from stressweb.analysis.graded import Graded
from stressweb.analysis.statistics import FEWEST
from stressweb.analysis.wording import percent, units
from stressweb.core.conditions import CLEAN, UNTESTED, Condition
from stressweb.core.words import counted


def of_clean(episodes: Sequence[Graded]) -> Iterator[str]:
    """List the agents without clean episodes."""
    having = {episode.agent for episode in episodes if episode.condition == CLEAN.label}
    agents = sorted({episode.agent for episode in episodes} - having)
    if agents:
        yield f"No clean episodes of {', '.join(agents)}: nothing can be compared with clean."


def of_doses(
    episodes: Sequence[Graded], curves: Sequence[DoseResponse], planned: Mapping[str, Condition]
) -> Iterator[str]:
    """List the modes with too few severities for a curve."""
    single = {curve.mode: curve.points[0].condition for curve in curves if len(curve.points) == 1}
    if single:
        # One mode suffices as an example, and keeps the line short.
        runs = ",".join(f"{mode}@{severity}" for mode in list(single)[:1] for severity in range(1, 6))
        yield f"One severity only ({', '.join(single.values())}): no trend and no tolerance; run --mode {runs}."
    two = {
        curve.mode: " and ".join(point.condition for point in curve.points)
        for curve in curves
        if len(curve.points) == 2
    }
    if two:
        yield f"Two severities only ({', '.join(two.values())}): no trend, which needs {FEWEST_SEVERITIES}."
    labels = dict.fromkeys(episode.condition for episode in episodes)
    # A mode that has only errors is listed by `of_conditions`.
    if not curves and not (CLEAN.label in labels and any(dose(planned[label]) for label in labels)):
        yield "No mode was run by itself with the parameters of its severities: no dose-response."
    few = [(curve.tasks, curve.families) for curve in curves if curve.families < FEWEST]
    if few:
        yield f"With fewer than {FEWEST} {units(few)}, no interval over tasks is computed."
    if episodes:
        sites = len({episode.site for episode in episodes})
        if sites < FEWEST_SITES:
            yield f"No interval for new sites: the run has {counted(sites, 'site')}, and it needs {FEWEST_SITES}."


def of_pairs(
    episodes: Sequence[Graded], planned: Mapping[str, Condition], interactions: Sequence[Interaction]
) -> Iterator[str]:
    """List the pairs whose modes were not run alone, or that have no task under all three conditions."""
    labels = dict.fromkeys(episode.condition for episode in episodes)
    pairs = {label: single_modes for label in labels if (single_modes := pair(planned[label]))}
    for label, parts in pairs.items():
        lacking = [part for part in parts if part not in labels]
        if lacking:
            yield f"{label} was run, but not {' and '.join(lacking)} alone: no interaction."
        agents = dict.fromkeys(episode.agent for episode in episodes if episode.condition == label)
        for agent in () if lacking else agents:
            if not any((interaction.agent, interaction.condition) == (agent, label) for interaction in interactions):
                yield f"{agent} {label}: no task has a pair of episodes under it and each mode alone: no interaction."
    single = [label for label in labels if label not in UNTESTED]
    if not pairs and single:
        # Two severities of one mode are not a pair.
        partner = next((label for label in single if planned[label].modes != planned[single[0]].modes), None)
        yield f"No pair of modes was run: no interaction{f'; run --mode {single[0]}+{partner}' if partner else ''}."


def of_errors(episodes: Sequence[Graded]) -> Iterator[str]:
    """Report the number of errors; the intervals of curves assume that errors do not depend on the outcome."""
    errors = sum(episode.status == "error" for episode in episodes)
    if errors:
        yield (
            f"Errors left out: {errors} of {counted(len(episodes), 'episode')} ({percent(errors / len(episodes))})."
            " Intervals of curves hold if errors do not depend on the outcome; those of the run's table always do."
        )


def of_collapses(episodes: Sequence[Graded]) -> Iterator[str]:
    """List the agents without a clean success, which is the reference for steps."""
    clean = [episode for episode in episodes if episode.condition == CLEAN.label and episode.counts]
    agents = sorted({episode.agent for episode in clean} - {episode.agent for episode in clean if episode.success})
    if agents:
        yield f"No clean success of {', '.join(agents)}: no reference for the steps of other episodes."


def of_repeats(repeats: Sequence[Repeated]) -> Iterator[str]:
    """Report that no task was repeated."""
    if not repeats:
        yield "No task was repeated: no pass^k and no flips; run it with --epochs or --stress-seeds."


def of_costs(episodes: Sequence[Graded], costs: Sequence[Costs]) -> Iterator[str]:
    """Report why there is no cost in dollars."""
    # Agents without tokens need no price.
    spent = {episode.agent for episode in episodes if episode.tokens_in or episode.tokens_out}
    unpriced = sorted({cost.agent for cost in costs if cost.agent in spent and cost.dollars is None})
    if not spent:
        yield "No agent used tokens: no cost in tokens or dollars."
    elif unpriced:
        yield f"No price is known for {', '.join(unpriced)}: no cost in dollars; give it with --price."
