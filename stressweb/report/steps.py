"""The steps of an episode in a report: action, outcome, disturbances, and the page after it."""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from stressweb.core.words import counted
from stressweb.log.ledger import Entry
from stressweb.log.recording import EpisodeRecord, StepRecord
from stressweb.plugins.actions import Action
from stressweb.report.click_rings import Ring, click_ring, merged_rings
from stressweb.report.elements import Element, Finder
from stressweb.report.pack import Pack
from stressweb.report.story import FailurePoint
from stressweb.report.swallowed import no_effect

LONGEST = 5_000
"""Longest shown value of a source, in characters; the recording has all of it."""
# Default values that are shown because the action depends on them.
_ALWAYS = {"SCROLL": {"delta"}, "WAIT": {"seconds"}}
_APART = {"kind", "message", "reasoning"}


@dataclass(frozen=True)
class ShownStep:
    """One step."""

    n: int
    step: StepRecord
    elements: tuple[Element, ...]
    """The elements that the action named."""
    parameters: tuple[tuple[str, str], ...]
    """Every other parameter of the action, as JSON; a selector too, if no element matched."""
    no_effect: str
    """`clicked, no effect` if a mode swallowed the action; else empty."""
    events: tuple[Entry, ...]
    wrong: bool
    """Whether the episode went wrong here."""
    page: int | None
    """Index of the page after the step; None if it is the page of the step before."""
    picture: str | None
    """Id of the picture of that page; None if it is missing, left out, or that of the step before."""
    left_out: bool
    """Whether the picture did not fit."""
    rings: tuple[Ring, ...] = ()
    """Targets of the next clicks on that picture."""
    sources: tuple[tuple[str, str], ...] = ()
    """Each source's value for the page, by name, unless it equals that for the page before."""


@dataclass(frozen=True)
class Steps:
    """The steps of an episode, and the distinct pages of steps and evidence."""

    moments: tuple[ShownStep, ...]
    pages: tuple[str, ...]
    evidence: tuple[tuple[str, int], ...]
    """Path of each evidence page, and its index."""


def steps(
    record: EpisodeRecord, failure_point: FailurePoint | None, pack: Pack, gesture_stopping_modes: Collection[str] = ()
) -> Steps:
    """Return the steps of an episode; adds its pictures to the pack, but not its pages.

    `gesture_stopping_modes` are the modes that keep a gesture from taking effect when they deliver.
    """
    finder = Finder()
    pages: dict[str, int] = {}
    moments = []
    before: StepRecord | None = None
    # The step with the latest picture, and the rings on each picture.
    holder, rings = 0, dict[int, list[Ring]]()
    for n, step in enumerate(record.steps):
        page_number = pages.setdefault(step.page.html, len(pages))
        same = before is not None and before.page.html == step.page.html
        shot = step.page.screenshot
        # Bytes are compared: the same page drawn twice gives the same picture, and one is enough.
        seen = shot is None or (before is not None and before.page.screenshot == shot)
        picture = None if seen or shot is None else pack.add_picture(shot)
        if clicked := click_ring(before, n, step, finder):
            rings.setdefault(holder, []).append(clicked)
        if not seen:
            holder = n
        elements = finder.elements(before, step)
        moments.append(
            ShownStep(
                n=n,
                step=step,
                elements=elements,
                parameters=parameters(step.action, {element.parameter for element in elements}),
                # Without ledger lines from after the last step, which are shown with it and are not its effect.
                no_effect=no_effect(before, step, _events(record.ledger, n), gesture_stopping_modes),
                events=tuple(_events(record.ledger, n, last=n == len(record.steps) - 1)),
                wrong=failure_point is not None and failure_point.step == n,
                page=None if same else page_number,
                picture=picture,
                left_out=picture is None and not seen,
                sources=read_by_sources(before, step),
            )
        )
        before = step
    # Numbered like the steps, because an evidence page is often the last one that the agent saw.
    evidence = tuple((path, pages.setdefault(page.html, len(pages))) for path, page in record.closings.items())
    # At the end: a ring is on the picture before its click, and that step is already complete.
    ringed = (replace(moment, rings=merged_rings(rings.get(moment.n, []))) for moment in moments)
    return Steps(tuple(ringed), tuple(pages), evidence)


def read_by_sources(before: StepRecord | None, step: StepRecord) -> tuple[tuple[str, str], ...]:
    """Return name and value of each source whose value differs from the step before.

    The value is shown as recorded, because a report does not need the plug-in that renders it for a model.
    """
    known = {} if before is None else before.page.sources.packed
    new = [name for name, data in step.page.sources.packed.items() if known.get(name) != data]
    return tuple((name, _readable(step.page.sources[name])) for name in new)


def _readable(value: object) -> str:
    if isinstance(value, bytes):
        return counted(len(value), "byte")
    text = value if isinstance(value, str) else json.dumps(value, indent=1, ensure_ascii=False)
    excess = len(text) - LONGEST
    return text if excess <= 0 else f"{text[:LONGEST]}\n[{counted(excess, 'more character')}]"


def parameters(action: Action | None, without: Collection[str] = ()) -> tuple[tuple[str, str], ...]:
    """Return the relevant parameters of an action: those that were set, and those its kind depends on.

    `without` are those that are shown elsewhere.
    """
    if action is None:
        return ()
    set_parameters = action.model_dump(mode="json", exclude_defaults=True, exclude=_APART | set(without))
    always = action.model_dump(mode="json", include=_ALWAYS.get(action.kind, set()))
    return tuple((name, json.dumps(value, ensure_ascii=False)) for name, value in {**set_parameters, **always}.items())


def _events(ledger: Sequence[Entry], n: int, *, last: bool = False) -> list[Entry]:
    """Return the ledger lines of a step; the last step also has those from after it."""
    return [entry for entry in ledger if entry.step == n or (last and entry.step > n)]
