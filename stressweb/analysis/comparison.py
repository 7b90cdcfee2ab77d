"""Compares two runs to find out whether an agent has changed; cells with the same identity are paired.

A block is all arms of one agent, task, world, stress seed and epoch: the clean episode and one per condition. A block
is left out if an arm is missing or an error in either run.
"""

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Literal, NamedTuple

from pydantic import BaseModel, ConfigDict

from stressweb.analysis.graded import Graded
from stressweb.analysis.margin import margin
from stressweb.analysis.pairing import families, grouped
from stressweb.analysis.statistics import ALPHA, Families, Interval, can_reject, difference_interval, sign_flip
from stressweb.core.conditions import CLEAN, UNTESTED
from stressweb.log.recording import Cell

COMPARABLE = 0.9
"""Smallest share of complete blocks of the new run; with fewer, the complete ones may not represent the plan."""

type Verdict = Literal["unchanged", "improved", "non-inferior", "inconclusive", "regressed", "not comparable"]
"""unchanged: all paired cells are equal. regressed, improved: the test finds a difference. non-inferior: the test finds
none, and the interval rules out a decline as large as the margin. inconclusive: neither. not comparable: too few blocks
are complete, or there is nothing to compare."""


class Planned(NamedTuple):
    """A planned cell of a run."""

    cell: Cell
    identity: str
    """Hash of all its inputs; "" if unknown."""
    graded: Graded | None
    """Its graded episode, if it has one."""


class Twin(NamedTuple):
    """The episodes of a paired cell in both runs."""

    before: Graded
    after: Graded

    @property
    def equal(self) -> bool:
        """Whether both succeeded or both failed."""
        return self.before.success == self.after.success

    @property
    def change(self) -> int:
        """The change from the baseline to the new run: 1, 0 or -1."""
        return self.after.success - self.before.success


class Place(NamedTuple):
    """The identity of a block."""

    site: str
    task: str
    world: int
    stress: int | None
    epoch: int


class Line(BaseModel):
    """The result for one question. Changes are new minus baseline, in shares; None means no data."""

    model_config = ConfigDict(frozen=True)

    verdict: Verdict
    cells: int
    """Paired cells of the line."""
    equal: int
    """Cells with the same outcome in both runs."""
    tasks: int
    families: int
    """Families of these tasks, the units of interval and test."""
    change: float | None
    """The change: mean over tasks."""
    interval: Interval | None
    """95 % interval over tasks of the same sites (Bonett and Price); none below 5 families."""
    sites_interval: Interval | None
    """95 % interval over sites, for other sites of the same kind; none below 5 sites."""
    p_value: float | None
    """Two-sided sign-flip test over families of tasks."""
    margin: float | None
    """The decline that this design can rule out; None if it cannot rule out any."""

    @property
    def testable(self) -> bool:
        """Whether a test over this number of families can reject at all."""
        return can_reject(self.families)


class Comparison(BaseModel):
    """An agent of the new run, compared with its counterpart in the baseline."""

    model_config = ConfigDict(frozen=True)

    baseline: str
    """The agent's name in the baseline."""
    agent: str
    """The agent's name in the new run."""
    conditions: tuple[str, ...]
    """Compared conditions, without clean."""
    left_out: tuple[str, ...]
    """Disturbed conditions of the new run that the baseline does not have."""
    blocks: int
    """Planned blocks of the new run."""
    complete: int
    """Blocks with every arm finished, without error, in both runs."""
    unpaired: int
    """Blocks with an arm that the baseline does not have, because it has changed or is new."""
    unfinished: int
    """Blocks with an arm that is missing or an error in either run."""
    cells: int
    """Paired cells of the complete blocks."""
    equal: int
    tasks: int
    """Tasks with a paired cell, in complete blocks or not."""
    robustness: Line
    """The change of robustness: success under stress minus success under clean, in the new run minus the baseline; mean
    over conditions."""
    clean: Line
    """The change of success under clean."""
    by_condition: dict[str, Line]
    """Robustness under each condition alone. Exploratory: not adjusted for the number of conditions."""
    failing: tuple[Cell, ...]
    """Cells of the new run that fail and succeeded in the baseline."""

    @property
    def comparable(self) -> bool:
        """Whether enough blocks are complete, and any condition is disturbed."""
        return bool(self.conditions) and self.complete > 0 and self.complete >= COMPARABLE * self.blocks

    @property
    def regressed(self) -> bool:
        """Whether either line has regressed."""
        return "regressed" in (self.robustness.verdict, self.clean.verdict)

    @property
    def undecided(self) -> bool:
        """Whether either line has no verdict because the runs are too small."""
        return "inconclusive" in (self.robustness.verdict, self.clean.verdict)

    @property
    def newly_failing(self) -> int:
        """Tasks with a cell that fails now and succeeded in the baseline."""
        return len({cell.task for cell in self.failing})


def compare(baseline: Sequence[Planned], new: Sequence[Planned]) -> Comparison:
    """Compare the planned cells of one agent with those of one agent in the baseline.

    Cells with the same identity and epoch are a pair.
    """
    # By identity, not by key: versions of an agent may have different names, and `remap@3` and `remap(share=0.8)` are
    # the same condition. A changed task has another identity, and so no partner.
    by_identity = {(planned.identity, planned.cell.epoch): planned for planned in baseline if planned.identity}
    partners = {planned.cell: by_identity.get((planned.identity, planned.cell.epoch)) for planned in new}
    twins = dict(_twins(new, partners))
    # Includes conditions that have another label in the baseline.
    in_baseline = {planned.cell.condition for planned in baseline} | {
        planned.cell.condition for planned in new if partners[planned.cell]
    }
    disturbed = list(dict.fromkeys(planned.cell.condition for planned in new if planned.cell.condition not in UNTESTED))
    conditions = [label for label in disturbed if label in in_baseline]
    blocks = _blocks([planned.cell for planned in new], conditions)
    complete = {place: arms for place, arms in blocks.items() if all(arm in twins for arm in arms.values())}
    # Counted separately from unfinished blocks, because the remedy is a new baseline, not --resume.
    unpaired = sum(any(partners.get(arm) is None for arm in arms.values()) for arms in blocks.values())
    # Without duplicates, because a clean cell is in the blocks of all stress seeds.
    paired = [twins[arm] for arm in dict.fromkeys(arm for arms in complete.values() for arm in arms.values())]
    comparison = Comparison(
        baseline=baseline[0].cell.agent if baseline else "",
        agent=new[0].cell.agent if new else "",
        conditions=tuple(conditions),
        left_out=tuple(label for label in disturbed if label not in in_baseline),
        blocks=len(blocks),
        complete=len(complete),
        unpaired=unpaired,
        unfinished=len(blocks) - len(complete) - unpaired,
        cells=len(paired),
        equal=sum(twin.equal for twin in paired),
        tasks=len({cell.task for cell in twins}),
        robustness=_robustness(complete, twins, conditions),
        clean=_clean(complete, twins),
        by_condition={label: _robustness(complete, twins, [label]) for label in conditions},
        failing=tuple(cell for cell, twin in twins.items() if twin.change < 0),
    )
    # Checked last, because it depends on which blocks are complete.
    return comparison if comparison.comparable else _incomparable(comparison)


def _twins(new: Iterable[Planned], partners: Mapping[Cell, Planned | None]) -> Iterable[tuple[Cell, Twin]]:
    for planned in new:
        partner = partners[planned.cell]
        before, after = partner.graded if partner else None, planned.graded
        if before and after and before.counts and after.counts:
            yield planned.cell, Twin(before, after)


def _blocks(cells: Sequence[Cell], conditions: Sequence[str]) -> dict[Place, dict[str, Cell]]:
    """Return the arms of every planned block by condition; without conditions, a block is clean alone."""
    clean = {(cell.task, cell.world, cell.epoch): cell for cell in cells if cell.condition == CLEAN.label}
    arms = [cell for cell in cells if cell.condition in (conditions or (CLEAN.label,))]
    blocks = grouped(arms, lambda cell: Place(cell.site, cell.task, cell.world, cell.stress, cell.epoch))
    arms_by_place = {place: {cell.condition: cell for cell in own} for place, own in blocks.items()}
    for place, own in arms_by_place.items():
        # Clean has no stress seed, so every stress seed of an epoch is compared with the same clean episode.
        undisturbed = clean.get((place.task, place.world, place.epoch))
        if undisturbed:
            own[CLEAN.label] = undisturbed
    # A block planned without one of the arms cannot be compared with the others.
    return {place: own for place, own in arms_by_place.items() if len(own) == len({*conditions, CLEAN.label})}


def _robustness(
    blocks: Mapping[Place, Mapping[str, Cell]], twins: Mapping[Cell, Twin], conditions: Sequence[str]
) -> Line:
    changes = {
        # (Stress minus clean), new minus baseline, with reordered terms: change under stress minus change under clean.
        place: fmean(twins[arms[label]].change for label in conditions) - twins[arms[CLEAN.label]].change
        for place, arms in (blocks.items() if conditions else ())
    }
    used = {arms[label] for arms in blocks.values() for label in (*conditions, CLEAN.label)}
    # Both terms are between -1 and 1, so their difference is between -2 and 2.
    return _line(changes, [twins[cell] for cell in used] if changes else [], scale=2.0)


def _clean(blocks: Mapping[Place, Mapping[str, Cell]], twins: Mapping[Cell, Twin]) -> Line:
    changes = {place: float(twins[arms[CLEAN.label]].change) for place, arms in blocks.items()}
    return _line(changes, [twins[cell] for cell in {arms[CLEAN.label] for arms in blocks.values()}], scale=1.0)


def _line(changes: Mapping[Place, float], twins: Sequence[Twin], scale: float) -> Line:
    by_task = _over_tasks(changes)
    values, own = list(by_task.values()), families((twin.after for twin in twins), by_task)
    # Sites have equal weight, because here they are the sampled units.
    sites = [fmean(by_task[task] for task in tasks) for tasks in grouped(by_task, lambda task: task[0]).values()]
    line = Line(
        verdict="not comparable",
        cells=len(twins),
        equal=sum(twin.equal for twin in twins),
        tasks=len(values),
        change=fmean(values) if values else None,
        families=len(set(own)),
        interval=_interval(values, scale, own),
        sites_interval=_interval(sites, scale),
        p_value=sign_flip(values, own) if values else None,
        margin=_margin(len(values), len(set(own)), twins),
    )
    return line.model_copy(update={"verdict": _verdict(line)})


def _over_tasks(changes: Mapping[Place, float]) -> dict[tuple[str, str], float]:
    """Return the mean of each task; worlds have equal weight."""
    tasks = grouped(changes, lambda place: (place.site, place.task))
    return {
        task: fmean(
            fmean(changes[place] for place in world) for world in grouped(own, lambda place: place.world).values()
        )
        for task, own in tasks.items()
    }


def _interval(values: Sequence[float], scale: float, families: Families = None) -> Interval | None:
    # Scaled to -1 to 1, because the interval adds one family at -1 and one at +1.
    interval = difference_interval([value / scale for value in values], families=families)
    # Clipped to -1 and 1, like any change of a share, unless the estimate is outside.
    return interval and Interval(
        min(fmean(values), max(-1.0, scale * interval.low)), max(fmean(values), min(1.0, scale * interval.high))
    )


def _margin(tasks: int, families: int, twins: Sequence[Twin]) -> float | None:
    if not twins:
        return None
    # Mean number of compared episodes per task in either arm.
    clean = sum(twin.after.condition == CLEAN.label for twin in twins)
    stressed = len(twins) - clean
    return margin(tasks, clean / tasks, stressed / tasks if stressed else None, families)


def _verdict(line: Line) -> Verdict:
    if line.change is None or line.p_value is None:
        return "not comparable"
    # Checked before the test, which cannot distinguish equal outcomes from too little data.
    if line.equal == line.cells:
        return "unchanged"
    if line.p_value <= ALPHA:
        return "regressed" if line.change < 0 else "improved"
    # The margin follows from the design alone, because a margin chosen after seeing the data could always be met.
    within_margin = line.interval is not None and line.margin is not None and line.interval.low > -line.margin
    return "non-inferior" if within_margin else "inconclusive"


def _incomparable(comparison: Comparison) -> Comparison:
    """Return a comparison without verdicts, because its complete blocks may not represent the plan."""
    return comparison.model_copy(
        update={
            "robustness": _silenced(comparison.robustness),
            "clean": _silenced(comparison.clean),
            "by_condition": {label: _silenced(line) for label, line in comparison.by_condition.items()},
        }
    )


def _silenced(line: Line) -> Line:
    return line.model_copy(update={"verdict": "not comparable"})
