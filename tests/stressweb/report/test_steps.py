"""Steps of an episode: joined with the ledger, with pages and pictures where they change."""

from dataclasses import replace

import pytest

from stressweb.log.ledger import Entry
from stressweb.plugins.actions import Action
from stressweb.plugins.observation_source import SourceValues
from stressweb.report.pack import Limits, Pack
from stressweb.report.steps import LONGEST, parameters, steps
from stressweb.report.story import find_failure_point
from tests.support.small_reports import PIXEL, recorded


def test_every_step_has_its_events_and_one_is_the_failure_point() -> None:
    _, record = recorded()
    record.ledger.append(Entry(step=9, mode="world", phase="blocked", detail="elsewhere.test"))
    episode_steps = steps(record, find_failure_point(record.ledger), Pack(Limits()))
    events = [
        [f"{event.mode} {event.phase} {event.element}".strip() for event in moment.events]
        for moment in episode_steps.moments
    ]
    assert events == [
        ["remap planned"],
        ["remap delivered link 'Shop'"],
        ["remap overcome link 'Shop'", "remap delivered button 'Buy'"],
        ["world blocked"],
    ]
    assert [moment.wrong for moment in episode_steps.moments] == [False, False, True, False]


def test_an_unchanged_page_is_not_shown_again_and_equal_pages_are_one() -> None:
    _, record = recorded()
    episode_steps = steps(record, None, Pack(Limits()))
    assert [moment.page for moment in episode_steps.moments] == [0, None, 1, None]
    assert episode_steps.pages == (record.steps[0].page.html, record.steps[2].page.html)
    assert episode_steps.evidence == (("/cart", 0),)


def test_pictures_are_shown_where_they_change() -> None:
    _, record = recorded(picture=PIXEL)
    pack = Pack(Limits())
    first, second, *_ = steps(record, None, pack).moments
    assert first.picture in pack.blocks
    assert (second.picture, second.left_out) == (None, False)
    (left_out, *_) = steps(record, None, Pack(Limits(pictures=0))).moments
    assert (left_out.picture, left_out.left_out) == (None, True)


def test_values_of_sources_are_shown_where_they_change() -> None:
    _, record = recorded()
    long = "x" * (LONGEST + 3)
    values = [
        {"links": ["a", 1], "raw": b"12"},
        {"links": ["a", 1], "raw": b"1"},
        {},
        {"links": ["a", 1], "long": long},
    ]
    record.steps = [
        replace(step, page=replace(step.page, sources=SourceValues(read)))
        for step, read in zip(record.steps, values, strict=True)
    ]
    shown_values = [moment.sources for moment in steps(record, None, Pack(Limits())).moments]
    links = ("links", '[\n "a",\n 1\n]')
    cut = f"{long[:LONGEST]}\n[3 more characters]"
    assert shown_values == [(links, ("raw", "2 bytes")), (("raw", "1 byte"),), (), (links, ("long", cut))]


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        (None, ()),
        (Action(kind="CLICK", selector="a", click_count=2), (("selector", '"a"'), ("click_count", "2"))),
        (Action(kind="CLICK", x=1.5, y=2), (("x", "1.5"), ("y", "2.0"))),
        (Action(kind="SCROLL"), (("delta", "400.0"),)),
        (Action(kind="WAIT"), (("seconds", "1.0"),)),
        (Action(kind="FILL", selector="#é", text='a"b\n'), (("selector", '"#é"'), ("text", '"a\\"b\\n"'))),
        (Action(kind="DONE", message="said elsewhere", reasoning="too"), ()),
    ],
)
def test_non_default_parameters_are_shown(action: Action | None, expected: tuple[tuple[str, str], ...]) -> None:
    assert parameters(action) == expected
