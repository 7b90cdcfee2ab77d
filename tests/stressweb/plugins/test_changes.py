"""Queries of checkpoints on rows, forms and tabs of an episode."""

import json

import pytest

from stressweb.core.entity import Entity
from stressweb.plugins.database import TableChange
from stressweb.plugins.query import BLANK, Run, State

A, B = Entity(id="a", name="A", star=0, at=1), Entity(id="b", name="B", star=0, at=1)


def altered(row: Entity, **values: object) -> tuple[Entity, Entity]:
    return row, Entity({**row, **values})


def run(added: tuple[Entity, ...] = (), changed: tuple[tuple[Entity, Entity], ...] = (), removed: tuple[Entity, ...] = ()) -> Run:  # fmt: skip
    return Run([], {}, {"book": TableChange(("id",), added=added, altered=changed, removed=removed)})


@pytest.mark.parametrize(
    ("episode", "only"),
    [
        (run(), False),
        (Run([]), False),
        (run(added=(B,)), False),
        (run(changed=(altered(A, star=1),)), True),
        (run(added=(B,), changed=(altered(A, star=1),)), True),
        (run(changed=(altered(A, star=1, at=2),)), True),
        (run(changed=(altered(A, star=1, name="C"),)), False),
        (run(changed=(altered(A, star=1), altered(B, star=1))), False),
        (run(changed=(altered(A, star=1),), removed=(B,)), False),
        (run(added=(B,), removed=(A,)), True),
    ],
)
def test_only_some_columns_of_some_rows(episode: Run, only: bool) -> None:
    assert episode.only("book", [A], "star", "at") is only


def test_a_derived_column_is_no_change() -> None:
    """A card that was moved and moved back has another time of its last change."""
    episode = run(changed=(altered(A, star=1, at=2), altered(B, at=2)))
    assert not episode.only("book", [A], "star")
    episode.derived = {"book": frozenset({"at"})}
    assert episode.only("book", [A], "star")
    assert episode.touched("book") == {"a"}
    assert [after.id for _, after in episode.altered("book")] == ["a"]


def test_rows_of_the_start_that_are_touched() -> None:
    assert run(added=(B,), changed=(altered(A, star=1),)).touched("book") == {"a"}
    assert run(removed=(B,)).touched("book") == {"b"}
    assert run().touched("shelf") == set()


def test_accepted_forms_have_their_sender() -> None:
    deeds = [("tick", "ada", True), ("tick", "bo", False), ("move", "bo", True)]
    rows = tuple(
        Entity(id=n, kind=kind, detail=json.dumps({"by": by, "done": done, "sent": {"to": "x"}}))
        for n, (kind, by, done) in enumerate(deeds)
    )
    episode = Run([], {}, {"event": TableChange(("id",), added=rows)})
    assert [(deed.by, deed.sent) for deed in episode.deeds("tick")] == [("ada", {"to": "x"})]
    assert episode.deeds("drop") == []


def state(path: str) -> State:
    return State(f"http://shop.test{path}", f"<title>{path}</title>")


@pytest.mark.parametrize(
    ("last", "tabs", "left"),
    [
        ("/e/a", ["/e/a"], True),
        ("/", ["/"], False),
        ("/", ["/e/a", "/"], True),
        ("/e/b", ["/e/a", "/e/b"], False),
        ("/", ["/e/a", "/e/b", "/"], False),
        # The agent is on the right one.
        ("/e/a", ["/e/b", "/e/a"], True),
        ("/e/a", [], True),
    ],
)
def test_a_page_is_left_open_in_any_tab_if_it_is_the_only_one_of_its_kind(
    last: str, tabs: list[str], left: bool
) -> None:
    page = Run([state("/"), state(last)], open_pages=[state(path) for path in tabs]).left_open("/e/a")
    assert (page.path == "/e/a") is left
    assert left or page is BLANK
