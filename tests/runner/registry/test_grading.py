"""The pages that checkpoints see of an episode, and how often they are parsed."""

from stressweb.core.entity import Entity
from stressweb.log.recording import Cell, EpisodeRecord, Shown, StepRecord
from stressweb.plugins import query
from stressweb.plugins.actions import Action
from stressweb.plugins.database import TableChange
from stressweb.plugins.query import has_item
from stressweb.runner.registry import Library
from stressweb.runner.registry.grading import Grader
from tests.support.parsed_pages import parsed

LAMP = '<div itemscope itemtype="https://schema.org/Product"><b itemprop="name">Lamp</b></div>'


def page(path: str, body: str = LAMP) -> Shown:
    # A new object each time, as after reading a run twice: equal pages are not the same object.
    return Shown(f"http://shop.test{path}", "".join(["<html><body>", body, "</body></html>"]))


def episode(condition: str, *pages: Shown) -> EpisodeRecord:
    first, *others = pages
    cell = Cell(agent="naive", task="shop/x", condition=condition, world=0, stress=None if condition == "clean" else 0)
    done = StepRecord(pages[-1], Action(kind="DONE"))
    steps = [StepRecord(first), *(StepRecord(shown_page, Action(kind="RELOAD")) for shown_page in others), done]
    return EpisodeRecord(cell, steps=steps, closings={"/p": pages[-1]})


__all__ = ["parsed"]


def test_each_observation_is_a_state_but_done_adds_none(parsed: list[str]) -> None:
    run = Grader(Library()).run(episode("clean", page("/a", ""), page("/b")))
    assert [state.path for state in run.states] == ["/a", "/b"]
    # The last page is the same, so it is parsed once for both questions.
    assert run.closing("/p") is run.last
    assert not parsed
    assert run.ever(has_item("Product", name="Lamp"))
    assert run.closing("/p").item("Product") is not None
    assert len(parsed) == 1


def test_a_page_at_two_addresses_is_two_states_and_parsed_once(parsed: list[str]) -> None:
    seen = page("/a")
    run = Grader(Library()).run(episode("clean", seen, Shown("http://shop.test/b", seen.html)))
    assert [state.path for state in run.states] == ["/a", "/b"]
    assert all(state.item("Product", name="Lamp") for state in run.states)
    assert len(parsed) == 1


def test_equal_pages_of_several_episodes_are_parsed_once(parsed: list[str]) -> None:
    grader = Grader(Library())
    for condition in ("clean", "clean", "remap@3"):
        run = grader.run(episode(condition, page("/a")))
        assert run.ever(has_item("Product", name="Lamp"))
        assert not run.ever(has_item("Product", name="Desk"))
        assert len(parsed) == 1


def test_the_page_of_a_row_is_found_in_the_recording_by_the_row() -> None:
    library = Library()
    goal = library.goal("mail/write-with-a-copy", 0)
    assert goal.evidence == ("/t/{made.id}",)
    added = Entity(id="a-first-subject", subject=goal.mail.title, folder="sent", was="", starred=0, unread=0)
    cell = Cell(agent="naive", task=goal.task, condition="clean", world=0, stress=None)
    record = EpisodeRecord(
        cell,
        steps=[StepRecord(page("/"))],
        closings={"/t/a-first-subject": page("/t/a-first-subject")},
        final={"thread": TableChange(("id",), added=(added,))},
    )
    assert Grader(library).run(record, goal).closing("/t/{made.id}").item("Product") is not None
    record.final = {}
    assert Grader(library).run(record, goal).closing("/t/{made.id}") is query.BLANK
