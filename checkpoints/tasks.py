"""Checkpoints of the tasks of the project site.

A checkpoint is a condition on what the agent saw, or on what the pages show at the end. The exact
change of the database is under `expect` in `sites/tasks/tasks.yaml`.
"""

from collections.abc import Iterable

from stressweb.core.entity import Entity
from stressweb.plugins.checks import Checks, checks
from stressweb.plugins.query import Item, Run, has_item
from stressweb.plugins.task import Goal

TABLES = ("item", "step", "comment", "tag", "tagging", "project", "setting")
CARD, STEP = "Action", "HowToStep"
MADE = "/i/{made.id}"
"""Page of the card that the agent added."""


def page(card: Entity) -> str:
    """Return the path of a card's page."""
    return f"/i/{card.id}"


def saw(run: Run, card: Entity) -> bool:
    """Return whether the agent saw a card: in a list, on a board, or on its page."""
    return run.ever(has_item(CARD, name=card.name))


def at_the_end(run: Run, card: Entity, path: str = "") -> Item | None:
    """Return a card from its own page at the end; `path` is the page of a card that the agent added."""
    return run.closing(path or page(card)).item(CARD, name=card.name)


def has_values(item: Item | None, **props: object) -> bool:
    """Return whether an item exists and has these properties."""
    return item is not None and item.reads(props)


def listed(run: Run, path: str, **props: object) -> set[str | None]:
    """Return the names of the cards that a page lists at the end."""
    return run.closing(path).names(CARD, **props)


def names_of(cards: Iterable[Entity]) -> set[str]:
    """Return the names of cards."""
    return {card.name for card in cards}


def left_open(run: Run, card: Entity) -> Checks:
    """Check that the agent left the page of a card open and changed nothing."""
    yield "saw the card", saw(run, card)
    opened = run.ever(lambda state: state.path == page(card))
    yield "opened the card", opened
    # Address and content: an error page could have the same address.
    yield "left its page open", has_item(CARD, name=card.name)(run.left_open(page(card)))
    yield "changed nothing", opened and run.untouched(*TABLES)


def has_comment(run: Run, path: str, text: str, person: str, author: str) -> bool:
    """Return whether the page of a card has a comment with this text by `author` that mentions `person`."""
    return run.closing(path).item("Comment", text=text, mentions=person, author=author) is not None


def moved_by(run: Run, card: str, state: Entity) -> set[str]:
    """Return the people who put a card into a state: on a board, in a form, or together with other cards."""
    deeds = [deed for action in ("move_item", "change_item", "edit_ticked") for deed in run.deeds(action)]
    moves = [deed for deed in deeds if state.id in (deed.sent.get("to"), deed.sent.get("state"))]
    return {deed.by for deed in moves if card in (deed.sent.get("item") or deed.sent.get("items", ""))}


@checks("tasks/longest-overdue")
def longest_overdue(run: Run, goal: Goal) -> Checks:
    """Open the card that has been overdue longest."""
    return left_open(run, goal.card)


@checks("tasks/finish-what-is-due")
def finish_what_is_due(run: Run, goal: Goal) -> Checks:
    """Mark the cards that are due today as done, except the most important."""
    done_names, due_names = (listed(run, path) for path in goal.evidence)
    names = names_of(goal.cards)
    yield "finished the first of them", goal.cards[0].name in done_names
    yield "finished all of them", names <= done_names
    yield "none of them is left", bool(names & done_names) and not names & due_names
    yield "kept the others", bool(names & done_names) and due_names == names_of(goal.others)


@checks("tasks/postpone-one")
def postpone_one(run: Run, goal: Goal) -> Checks:
    """Give a card another priority and another due date, and nothing else."""
    card = at_the_end(run, goal.card)
    changed = has_values(card, priority=goal.priority.name) or has_values(card, endTime=goal.day.id)
    yield "saw the card", saw(run, goal.card)
    yield "changed its priority", has_values(card, priority=goal.priority.name)
    yield "changed its due date", has_values(card, endTime=goal.day.id)
    yield "kept its owner", changed and has_values(card, agent=goal.card.owner_name)
    yield "kept its state", changed and all(before.state == after.state for before, after in run.altered("item"))
    yield (
        "changed nothing else",
        run.only("item", [goal.card], "priority", "due", "owner", "state", "closed", "changed"),
    )


@checks("tasks/card-with-two-tags")
def card_with_two_tags(run: Run, goal: Goal) -> Checks:
    """Add a card with all its fields."""
    card = at_the_end(run, goal.new, MADE)
    yield "added the card to the project", has_values(card, isPartOf=goal.project.name)
    yield "with the description", has_values(card, description=goal.about.name)
    yield "with the priority", has_values(card, priority=goal.priority.name)
    yield "with the owner", has_values(card, agent=goal.person.name)
    yield "with the due date", has_values(card, endTime=goal.day.id)
    tags = card.names("DefinedTerm") if card is not None else set()
    yield "with both tags", tags == {goal.one.name, goal.two.name}


@checks("tasks/five-lines")
def five_lines(run: Run, goal: Goal) -> Checks:
    """Add five cards with due dates and priorities."""
    cards = run.closing(goal.evidence[0]).items(CARD)
    wanted = [goal.a, goal.b, goal.c, goal.d, goal.e]
    added = [card for card in cards if card["name"] in names_of(wanted)]
    due = {(card["name"], card["endTime"]) for card in added}
    yield "added the first card", goal.a.name in {card["name"] for card in added}
    yield "added all five", {card["name"] for card in added} == names_of(wanted)
    yield "in the right order", [card["name"] for card in added] == [card.name for card in wanted]
    rows = [row for row in run.added("item") if row.name in names_of(wanted)]
    yield "owned by nobody", bool(rows) and not any(row.owner for row in rows)
    yield "without a description", bool(rows) and not any(row.about for row in rows)
    yield "with their due dates", due == {(card.name, card.due) for card in wanted}
    yield (
        "with their priorities",
        len(added) == len(wanted)
        and all(
            has_values(card, priority=(goal.one if card["name"] in names_of(goal.firsts) else goal.two).name)
            for card in added
        ),
    )


@checks("tasks/a-hundred-lines")
def a_hundred_lines(run: Run, goal: Goal) -> Checks:
    """Create a project with a hundred cards."""
    board = run.closing(goal.evidence[0])
    project, wanted = board.item("Project", name=goal.new.name), [card.name for card in goal.lines]
    names = [card["name"] for card in board.items(CARD)]
    yield "created the project", project is not None
    yield "in the colour", has_values(project, color=goal.colour.name)
    yield "with the right lead", has_values(project, accountablePerson=goal.person.name)
    yield "without a description", project is not None and not project["description"]
    yield "added the first card", wanted[0] in names
    yield "added all hundred", sorted(map(str, names)) == sorted(wanted)
    yield "in the right order", names == wanted
    rows = [row for row in run.added("item") if row.name in wanted]
    yield "without a due date", bool(rows) and not any(row.due for row in rows)


@checks("tasks/last-of-a-state")
def last_of_a_state(run: Run, goal: Goal) -> Checks:
    """Open the card of a state and a priority that is due last."""
    return left_open(run, goal.card)


@checks("tasks/new-tag-for-next-week")
def new_tag_for_next_week(run: Run, goal: Goal) -> Checks:
    """Create a tag and put it on a person's cards for next week."""
    tag, tagged = run.closing("/tags").item("DefinedTerm", name=goal.tag.name), listed(run, goal.evidence[1])
    # `tag`, because the page of a tag that does not exist would list every card.
    yield "created the tag", tag is not None
    yield "in the colour", has_values(tag, color=goal.colour.name)
    yield "tagged the first of them", tag is not None and goal.cards[0].name in tagged
    yield "tagged all of them", tag is not None and tagged >= names_of(goal.cards)
    # From the database: the list does not include archived cards.
    new_tags = {row.id for row in run.added("tag") if row.name == goal.tag.name}
    tagged_ids = {row.item for row in run.added("tagging") if row.tag in new_tags}
    yield "and no other card", bool(tagged_ids) and tagged_ids <= {card.id for card in goal.cards}


@checks("tasks/own-settings")
def own_settings(run: Run, goal: Goal) -> Checks:
    """Change three settings."""
    setting = run.closing("/settings").item("Thing", name=goal.me.name)
    yield "weeks begin on the day", has_values(setting, weekStart=goal.day.name)
    yield "chose the theme", has_values(setting, theme=goal.theme.name)
    yield "chose the priority", has_values(setting, priority=goal.priority.name)
    yield "left the rest as it was", run.only("setting", [goal.me], "week_start", "theme", "priority")


@checks("tasks/rearrange-a-board")
def rearrange_a_board(run: Run, goal: Goal) -> Checks:
    """Move three cards to other columns, and put one at the top of its column."""
    board = run.closing(goal.evidence[0])
    columns = {column["name"]: [card["name"] for card in column.items(CARD)] for column in board.items("ItemList")}
    yield "moved the first card", goal.a.name in columns.get(goal.doing.name, [])
    yield "moved the second card", goal.b.name in columns.get(goal.review.name, [])
    yield "moved the third card", goal.c.name in columns.get(goal.todo.name, [])
    yield "the earliest is at the top", columns.get(goal.doing.name, [])[:1] == [goal.early.name]


@checks("tasks/finish-three-checklists")
def finish_three_checklists(run: Run, goal: Goal) -> Checks:
    """Tick the remaining steps of three checklists and mark the cards as done."""
    for which, card, steps in (
        ("first", goal.a, goal.steps_a),
        ("second", goal.b, goal.steps_b),
        ("third", goal.c, goal.steps_c),
    ):
        ticked = run.closing(page(card)).names(STEP, actionStatus="1")
        yield f"ticked the steps of the {which}", {step.name for step in steps} <= ticked
        done = at_the_end(run, card)
        yield f"marked the {which} as done", done is not None and bool(done["completed"])


@checks("tasks/answer-a-mention")
def answer_a_mention(run: Run, goal: Goal) -> Checks:
    """Answer the latest comment that mentions the user, and change the card's priority."""
    text = f"@{goal.remark.author_name} {goal.saying.name}"
    yield "found the card", run.ever(lambda state: state.path == page(goal.card))
    yield "answered by name", has_comment(run, page(goal.card), text, goal.remark.author_name, goal.me.name)
    yield "set the priority", has_values(at_the_end(run, goal.card), priority=goal.priority.name)


@checks("tasks/put-old-work-away")
def put_old_work_away(run: Run, goal: Goal) -> Checks:
    """Archive the cards that were done long ago."""
    done_names, archived_names = (listed(run, path) for path in goal.evidence)
    names = names_of(goal.old)
    yield "archived the first of them", goal.old[0].name in archived_names
    yield "archived all of them", names <= archived_names
    yield "kept what was done later", bool(names & archived_names) and done_names == names_of(goal.recent)
    yield "and cards of other projects", run.only("item", (*goal.old, *goal.recent), "archived", "changed")


@checks("tasks/bring-two-back")
def bring_two_back(run: Run, goal: Goal) -> Checks:
    """Restore two cards from the archive, with a new owner and due date."""
    # The archive must list others, because neither card is on an empty page.
    archived_names = listed(run, "/archive")
    for which, row in (("first", goal.a), ("second", goal.b)):
        card = at_the_end(run, row)
        yield (
            f"the {which} is back",
            bool(archived_names) and row.name not in archived_names and has_values(card, actionStatus=goal.todo.name),
        )
        yield f"the {which} has its owner", has_values(card, agent=goal.person.name)
        yield f"the {which} has its due date", has_values(card, endTime=goal.day.id)


@checks("tasks/seven-most-overdue")
def seven_most_overdue(run: Run, goal: Goal) -> Checks:
    """Hand over exactly the seven cards that have been overdue longest."""
    handed_over = listed(run, goal.evidence[0])
    names = names_of(goal.cards)
    yield "gave the most overdue away", goal.cards[0].name in handed_over
    yield "gave the seventh away", goal.card.name in handed_over
    yield "gave all seven away", names <= handed_over
    yield "and no other card", run.only("item", goal.cards, "owner", "priority", "changed")


@checks("tasks/somebody-leaves")
def somebody_leaves(run: Run, goal: Goal) -> Checks:
    """Hand over all cards of a person to two others, and a project to one of them."""
    heirs_cards, others_cards, remaining_names = (listed(run, path) for path in goal.evidence[:3])
    project = run.closing(goal.evidence[3]).item("Project", name=goal.project.name)
    yield "gave the heir a card", goal.cards[0].name in heirs_cards
    yield (
        "gave the heir what is not urgent",
        names_of(goal.cards) <= heirs_cards and not names_of(goal.hot) & heirs_cards,
    )
    yield "gave the other what is urgent", names_of(goal.hot) <= others_cards
    yield "nothing is left", names_of(goal.cards) <= heirs_cards and not remaining_names
    yield "handed the project over", has_values(project, accountablePerson=goal.heir.name)


@checks("tasks/two-people-take-turns")
def two_people_take_turns(run: Run, goal: Goal) -> Checks:
    """Add a card, then sign in as another person and continue with it."""
    card, card_page = at_the_end(run, goal.new, MADE), run.closing(MADE)
    text = f"@{goal.one.name} {goal.saying.name}"
    added = [row for row in run.added("item") if row.name == goal.new.name]
    yield "added the card as the first", bool(added) and added[0].author == goal.one.id
    yield "for the second", has_values(card, agent=goal.two.name)
    yield "with both steps", card_page.names(STEP) == {goal.first.name, goal.second.name}
    ticked = card_page.names(STEP, actionStatus="1")
    yield "ticked the first step alone", ticked == {goal.first.name}
    # From the server's log, because no page shows who did this.
    steps = {row.id for row in run.added("step") if row.name == goal.first.name}
    ticks = [deed.by for deed in run.deeds("toggle_step") if deed.sent.get("step") in steps]
    yield "as the second", bool(ticked) and set(ticks) == {goal.two.id}
    yield "moved the card on", has_values(card, actionStatus=goal.doing.name)
    yield "moved it as the second", bool(added) and moved_by(run, added[0].id, goal.doing) == {goal.two.id}
    yield "commented as the second", has_comment(run, MADE, text, goal.one.name, goal.two.name)


@checks("tasks/remind-the-late")
def remind_the_late(run: Run, goal: Goal) -> Checks:
    """Remind the owners of three cards, and postpone the cards."""
    for which, card in (("first", goal.a), ("second", goal.b), ("third", goal.c)):
        text = f"@{card.owner_name} {goal.saying.name}"
        yield f"reminded the owner of the {which}", has_comment(run, page(card), text, card.owner_name, goal.me.name)
    for which, card in (("first", goal.a), ("second", goal.b), ("third", goal.c)):
        yield f"postponed the {which}", has_values(at_the_end(run, card), endTime=goal.day.id)
    yield "and no other card", run.only("item", [goal.a, goal.b, goal.c], "due", "changed")
