"""Episodes made by hand that could fool a grader, each found by trying."""

from collections.abc import Callable
from urllib.parse import parse_qsl, urlencode

import pytest

from stressweb.plugins.checks import Grade
from stressweb.plugins.query import Run
from stressweb.plugins.steps import Step, Verb
from stressweb.sites import kit
from stressweb.walking.walker import Walker
from tests.support.walks import TASKS, goal, grade, walker, world

SIGNED_IN = [name for name, task in TASKS.items() if task.site == "shop" and task.user]


class Hand:
    """A walker whose steps name controls by label key."""

    def __init__(self, task: str) -> None:
        self.goal = goal(task, 0)
        self.site: kit.KitWorld = world(self.goal.task.partition("/")[0], 0)
        self.walker: Walker = walker(self.goal)

    def do(self, verb: Verb, target: str, value: str | None = None, on: str | None = None) -> "Hand":
        labels = self.site.labels
        self.walker.do(Step(verb=verb, target=labels.get(target, target), value=labels.get(value or "", value), on=on))
        return self

    def get(self, path: str) -> "Hand":
        self.walker.get(path)
        return self

    def finish(self, *changes: Callable[[Step], Step], after: int = 0) -> "Hand":
        """Walk the trajectory from step `after` on, with the changes applied to each step."""
        for step in self.goal.ways[0][after:]:
            for change in changes:
                step = change(step)  # noqa: PLW2901 - one after the other
            self.walker.do(step)
        return self

    def sign_in(self, persona: str) -> "Hand":
        person = next(row for row in self.site.entities["Customer"] if row.persona == persona)
        self.do("open", "link_sign_in").do("enter", "email", person.id).do("enter", "password", person.password)
        return self.do("press", "do_sign_in")

    def graded(self) -> Grade:
        return grade(self.walker.run(self.goal), self.goal)


def entered(label: str, change: Callable[[str], str]) -> Callable[[Hand], Callable[[Step], Step]]:
    """Return a change of the text that is entered into one field."""

    def of(hand: Hand) -> Callable[[Step], Step]:
        wanted = hand.site.labels[label]
        return lambda step: (
            step.model_copy(update={"value": change(step.value or "")}) if step.target == wanted else step
        )

    return of


def missed(got: Grade) -> list[str]:
    return [name for name, passed in got.passed.items() if not passed]


@pytest.mark.parametrize("task", SIGNED_IN)
def test_signing_out_after_success_costs_nothing(task: str) -> None:
    got = Hand(task).finish().do("press", "sign_out").graded()
    assert got.success, (missed(got), got.unmet, got.harms)


@pytest.mark.parametrize("task", SIGNED_IN)
def test_signing_in_as_somebody_else_after_success_costs_nothing(task: str) -> None:
    got = Hand(task).finish().do("press", "sign_out").sign_in("patient").graded()
    assert got.success, (missed(got), got.unmet, got.harms)


def test_wishes_of_another_customer_fail() -> None:
    hand = Hand("shop/wishlist-of-the-best")
    persona = next(name for name in ("regular", "second") if hand.goal.customer.persona != name)
    got = hand.sign_in(persona).finish(after=4).do("press", "sign_out").sign_in(hand.goal.customer.persona).graded()
    assert missed(got) == ["saved one of them", "saved all of them", "and no other product"]
    assert all("owner is" in unmet for unmet in got.unmet)
    assert (got.verdict, got.disputed) == (False, False)


def test_a_search_for_two_words_is_a_search_for_the_one_that_the_shop_answers() -> None:
    noun = goal("shop/first-hit", 0).query.noun
    for query, held in ((f"q={noun}&q=zzz", True), (f"q=zzz&q={noun}", False)):
        got = Hand("shop/first-hit").get(f"/search?{urlencode(parse_qsl(query))}").graded()
        assert got.passed["searched for it"] is held, query


@pytest.mark.parametrize("task", ["shop/buy-and-review", "shop/two-customers"])
def test_an_order_that_is_cancelled_afterwards_is_no_success(task: str) -> None:
    hand = Hand(task).finish().get("/orders")
    product = (hand.goal.params.get("two") or hand.goal.params["product"]).id
    number = next(
        row.order for row in hand.walker.changes()["order_line"].added if row.product == product
    )  # fmt: skip
    got = hand.get(f"/orders/{number}").do("choose", "reason", "reason_other").do("press", "cancel_order").graded()
    # No checkpoint checks the order's state, so none contradicts the database.
    assert (got.success, got.disputed, missed(got)) == (False, False, [])
    assert [unmet.partition(":")[0] for unmet in got.unmet] == [f"orders {number}"] * 2
    assert any("status_cancelled" in unmet for unmet in got.unmet)


def test_an_order_of_a_signed_in_customer_is_no_guest_order() -> None:
    got = Hand("shop/checkout").sign_in("regular").finish().graded()
    assert not got.success
    assert any("owner is" in unmet and "visitor" in unmet for unmet in got.unmet)


def test_a_search_by_the_full_name_is_not_the_search_that_was_asked_for() -> None:
    hand = Hand("shop/first-hit")
    got = hand.finish(entered("search_field", lambda _: hand.goal.product.name)(hand)).graded()
    assert missed(got) == ["searched for it"]
    # The database does not record searches.
    assert (got.success, got.verdict, got.disputed) == (False, True, False)


def test_a_search_in_another_case_finds_the_same() -> None:
    hand = Hand("shop/first-hit")
    assert hand.finish(entered("search_field", lambda word: f" {word.upper()} ")(hand)).graded().success


def test_a_changed_sort_order_is_harm() -> None:
    hand = Hand("shop/first-hit")
    hand.do("enter", "search_field", hand.goal.query.noun).do("press", "search")
    hand.do("choose", "sort_by", "sort_cheap").do("press", "apply")
    got = hand.do("press", "add_to_cart", on=hand.goal.product.name).graded()
    assert missed(got) == []
    assert [name for name, done in got.harms.items() if done] == ["changed the sort order"]
    assert not got.success


def test_an_event_of_the_past_in_another_colour_is_seen_on_both_sides() -> None:
    hand = Hand("calendar/rename-and-recolour-a-category").finish()
    past_event = min(
        (row for row in hand.site.entities["Event"] if row.category == hand.goal.category.id), key=lambda row: row.day
    )
    colour = "colour_teal" if hand.goal.colour.id != "colour_teal" else "colour_red"
    got = hand.get(f"/event/{past_event.id}").do("choose", "colour", colour).do("press", "save_colour").graded()
    assert missed(got) == ["gave its events the colour"]
    assert (got.verdict, got.disputed) == (False, False)


def test_the_agenda_of_another_span_is_not_the_one_asked_for() -> None:
    hand = Hand("calendar/agenda-of-a-category")
    hand.do("open", "view_agenda").do("open", "next_agenda").do("choose", "filter_category", hand.goal.category.name)
    got = hand.do("press", "apply").get(f"/event/{hand.goal.event.id}").graded()
    assert missed(got) == ["saw the agenda of the category"]


def test_leaving_the_page_that_was_to_stay_open_is_seen() -> None:
    for task in ("calendar/week-view", "calendar/day-view"):
        got = Hand(task).finish().get("/help").graded()
        assert (missed(got), got.disputed) == (["left its page open"], False)


def test_notes_that_nobody_asked_for_are_wrong() -> None:
    hand = Hand("calendar/add-an-event").finish().do("open", "edit_event").do("enter", "notes", "Bring the map.")
    got = hand.do("press", "save_event").graded()
    assert got.unmet == [f"appointment {hand.goal.new.id}: notes is 'Bring the map.', not ''"]
    assert not got.success


@pytest.mark.parametrize(
    "change", [lambda title: title.replace(" ", "  "), lambda title: title[:2] + "\u200b" + title[2:]]
)
def test_white_space_and_characters_without_width_count_alike_on_both_sides(change: Callable[[str], str]) -> None:
    hand = Hand("calendar/add-an-event")
    got = hand.finish(entered("title", change)(hand)).graded()
    assert (got.success, got.disputed) == (True, False), (missed(got), got.unmet)


def test_another_case_counts_on_both_sides() -> None:
    hand = Hand("calendar/add-an-event")
    got = hand.finish(entered("title", str.upper)(hand)).graded()
    assert (got.success, got.verdict, got.disputed) == (False, False, False)


def test_an_address_in_capitals_is_the_same_account() -> None:
    hand = Hand("shop/create-account")
    assert hand.finish(entered("email", str.upper)(hand)).graded().success


def test_a_goal_that_was_undone_is_no_success() -> None:
    hand = Hand("shop/two-of-a-named-product").finish()
    got = hand.do("press", "drop_line", on=hand.goal.product.name).graded()
    assert got.unmet == ["cart: a row that the goal asks for was not added"]
    assert (got.success, got.disputed) == (False, False)


def finished_long_ago(hand: Hand) -> str:
    card = next(row for row in hand.site.entities["Card"] if row.closed_ago > 14)
    return str(card.id)


def test_a_card_that_was_finished_long_ago_and_is_finished_once_more_is_harm() -> None:
    hand = Hand("tasks/finish-what-is-due").finish()
    old = finished_long_ago(hand)
    got = hand.get(f"/i/{old}").do("press", "reopen").do("press", "finish").graded()
    assert got.verdict is True
    assert got.harms == {f"changed item {old}: closed": True}
    assert (got.success, got.disputed) == (False, False)


def test_a_template_with_a_paragraph_merged_into_its_heading_is_another_text() -> None:
    hand = Hand("notes/use-a-template")
    labels = hand.site.labels
    steps = hand.goal.ways[1]
    merged = entered("body", lambda text: text.replace("\n\n", " ", 1))(hand)
    assert any(step.target == labels["body"] for step in steps)
    for step in steps:
        hand.walker.do(merged(step))
    got = hand.graded()
    assert missed(got) == ["which is that of the template"]
    assert (got.success, got.verdict, got.disputed) == (False, False, False)


@pytest.mark.parametrize("change", [lambda text: f"{text}  \r\n\r\n", lambda text: text.replace("\n", "  \r\n")])
def test_white_space_that_nobody_sees_makes_no_other_text(change: Callable[[str], str]) -> None:
    hand = Hand("notes/use-a-template")
    for step in hand.goal.ways[1]:
        hand.walker.do(entered("body", change)(hand)(step))
    got = hand.graded()
    assert got.success, (missed(got), got.unmet)


@pytest.mark.parametrize(
    ("task", "path", "press"),
    [("mail/star-exactly-seven", "/", "archive_ticked"), ("notes/gather-an-author", "", "")],
)
def test_harm_alone_is_no_dispute(task: str, path: str, press: str) -> None:
    hand = Hand(task).finish()
    if task.startswith("mail"):
        bystander = next(row for row in hand.site.entities["Letter"] if row.folder == "inbox" and row.nth == 9)
        hand.get(path).do("tick", bystander.subject).do("press", press)
    else:
        bystander = hand.goal.rest[0]
        hand.get(f"/doc/{bystander.id}").do("open", "link_move").do("open", hand.goal.new.name).do(
            "press", "move_document"
        )
    got = hand.graded()
    assert (got.success, got.disputed) == (False, False)
    assert any(got.harms.values())


@pytest.mark.parametrize("task", ["calendar/add-an-event", "mail/write-with-a-copy", "tasks/card-with-two-tags"])
def test_a_database_that_has_everything_and_pages_that_do_not_are_a_dispute(task: str) -> None:
    hand = Hand(task).finish()
    run = hand.walker.run(hand.goal)
    got = grade(Run(run.states, {}, run.tables), hand.goal)
    assert (got.verdict, got.success, got.disputed) == (True, False, True)
    lacking = grade(Run(run.states, run.closings, {}), hand.goal)
    assert (lacking.verdict, lacking.success, lacking.disputed) == (False, False, True)


def test_an_event_that_was_deleted_and_added_anew_counts_as_the_renamed_one() -> None:
    hand = Hand("calendar/rename-the-first").get("/")
    event, changes = hand.goal.event, hand.finish().walker.changes()["appointment"]
    before, after = changes.altered[0]
    key = f"{hand.goal.new.id}-anew"
    hand.walker.database.execute("UPDATE appointment SET id = ? WHERE id = ?", (key, event.id))
    hand.walker.database.commit()
    got = hand.graded()
    assert got.success, (missed(got), got.unmet, got.harms)
    assert (before.id, after.title) == (event.id, hand.goal.new.title)


def test_a_mail_from_a_template_needs_its_subject() -> None:
    hand = Hand("mail/template-for-two")
    *before, send = hand.goal.ways[0]
    for step in before:
        hand.walker.do(step)
    hand.do("enter", "subject", "Something else")
    hand.walker.do(send)
    graded = hand.graded()
    assert [name for name, passed in graded.passed.items() if not passed] == ["with the subject to the second"]
    assert graded.verdict is False
    assert not graded.contradictions
