"""Logic of the projects: weeks by the settings, positions in a column, batches of cards, names and accounts."""

from collections import Counter
from datetime import date, timedelta
from itertools import pairwise

import pytest

from stressweb.core.entity import Entity
from stressweb.sites.tasks.plan import DONE, work
from stressweb.walking.walker import Walker
from tests.support.crawling import send, site, visitor


@pytest.fixture
def walker() -> Walker:
    return visitor("tasks", 0)


def first(entity: str, **where: object) -> Entity:
    return next(row for row in site("tasks", 0).entities[entity] if all(row[key] == where[key] for key in where))


def listed(walker: Walker, path: str) -> list[str]:
    walker.get(path)
    names: list[str] = walker.page.xpath("//*[contains(@class, 'kit-name')]//*[@itemprop='name']/text()")
    return names


def column(walker: Walker, project: str, state: str) -> list[str]:
    walker.get(f"/projects/{project}")
    cards: list[str] = walker.page.xpath(f"//*[@data-column='{state}']//article/@data-card")
    return cards


@pytest.mark.parametrize(("start", "weekday"), [("day_monday", 0), ("day_saturday", 5), ("day_sunday", 6)])
def test_weeks_begin_as_the_settings_say(walker: Walker, start: str, weekday: int) -> None:
    today = site("tasks", 0).start.date()
    begins = today - timedelta(days=(today.weekday() - weekday) % 7)
    cards = [row for row in site("tasks", 0).entities["Card"] if row.is_open and row.due]
    theme, usual = first("Setting").theme, "priority_normal"
    send(walker, "save_settings", week_start=start, theme=theme, usual_priority=usual)
    for span, first_day in (("week", begins), ("next", begins + timedelta(days=7))):
        last_day = first_day + timedelta(days=6)
        wanted = {row.name for row in cards if first_day <= date.fromisoformat(row.due) <= last_day}
        assert set(listed(walker, f"/items?due={span}")) == wanted


def test_what_is_done_is_not_due(walker: Walker) -> None:
    overdue_card = next(row for row in site("tasks", 0).entities["Card"] if row.is_open and row.days < 0)
    assert overdue_card.name in listed(walker, "/items?due=over")
    send(walker, "toggle_done", item=overdue_card.id)
    assert overdue_card.name not in listed(walker, "/items?due=over")
    assert overdue_card.name in listed(walker, "/items?due=closed")
    send(walker, "toggle_done", item=overdue_card.id)
    ((_, after),) = walker.changes()["item"].altered
    assert (after["state"], after["closed"]) == ("state_todo", "")


def test_every_way_in_a_column_leads_to_its_place(walker: Walker) -> None:
    row = first("Card", state="state_todo", nth=2)
    before = column(walker, row.project, "state_todo")
    rest = [key for key in before if key != row.id]
    for way, place in (("way_up", 0), ("way_down", 1), ("way_bottom", len(rest)), ("way_top", 0)):
        send(walker, "shift_item", item=row.id, way=way)
        assert column(walker, row.project, "state_todo") == [*rest[:place], row.id, *rest[place:]]
    assert site("tasks", 0).labels["error_end"] in send(walker, "shift_item", item=row.id, way="way_up")
    # Only the moved card has another position, however often cards are moved.
    assert {after["id"] for _, after in walker.changes()["item"].altered} == {row.id}


def test_a_card_is_not_put_before_one_that_is_elsewhere(walker: Walker) -> None:
    row, other = first("Card", state="state_todo"), first("Card", state="state_review")
    for before in (other.id, "nothing"):
        page = send(walker, "move_item", item=row.id, to="state_doing", before=before)
        assert site("tasks", 0).labels["error_moved"] in page
    assert "item" not in walker.changes()


def test_several_cards_get_what_was_chosen_and_nothing_else(walker: Walker) -> None:
    cards = [row for row in site("tasks", 0).entities["Card"] if row.owner and row.priority != "priority_low"][:3]
    keys = [row.id for row in cards]
    rest = {"state": "", "due": "", "tag": ""}
    assert site("tasks", 0).labels["error_chosen"] in send(
        walker, "edit_ticked", items=keys, priority="", owner="", **rest
    )
    assert "item" not in walker.changes()
    send(walker, "edit_ticked", items=keys, priority="priority_low", owner="none", **rest)
    for before, after in walker.changes()["item"].altered:
        changed = {name for name in after if after[name] != before[name]}
        assert changed == {"priority", "owner", "changed"}
        assert (after["priority"], after["owner"]) == ("priority_low", "")
    assert len(walker.changes()["item"].altered) == len(keys)


def test_a_comment_reaches_whom_it_names(walker: Walker) -> None:
    people, row = site("tasks", 0).entities["Person"], first("Card")
    first_person, second_person = people[1], people[2]
    send(
        walker,
        "add_comment",
        item=row.id,
        comment=f"@{first_person.name} and @{second_person.name.upper()}: {people[3].name} knows.",
    )
    (added,) = walker.changes()["comment"].added
    assert added["mentions"] == ", ".join(sorted((first_person.id, second_person.id)))
    send(walker, "switch_account", account=first_person.id)
    walker.get("/mentions")
    assert f"@{first_person.name} and" in walker.html


def test_only_the_accounts_of_the_menu_can_be_used(walker: Walker) -> None:
    people = site("tasks", 0).entities["Person"]
    walker.get("/")
    offered = walker.page.xpath("//details//form[@action='/accounts/switch']//button/text()")
    assert offered == [person.name for person in people[1:] if person.account]
    stranger = next(person for person in people if not person.account)
    assert site("tasks", 0).labels["error_account"] in send(walker, "switch_account", account=stranger.id)
    send(walker, "switch_account", account=people[2].id)
    send(walker, "add_step", item=first("Card").id, step_name="Something new")
    send(walker, "add_comment", item=first("Card").id, comment="Mine.")
    assert [row["author"] for row in walker.changes()["comment"].added] == [people[2].id]


def test_the_archive_gives_back_what_went_there(walker: Walker) -> None:
    row = first("Card")
    send(walker, "archive_item", item=row.id)
    assert row.name not in listed(walker, f"/items?project={row.project}")
    assert walker.fetch(f"/i/{row.id}/edit").status_code == 404
    assert row.name in "".join(listed(walker, "/archive"))
    send(walker, "restore_ticked", items=[row.id])
    assert "item" not in walker.changes()


def test_what_is_done_stands_below_what_is_not(walker: Walker) -> None:
    open_names = {row.name for row in site("tasks", 0).entities["Card"] if row.is_open}
    names = [name for page in (1, 2, 3) for name in listed(walker, f"/items?page={page}")]
    are_open = [name in open_names for name in names]
    assert set(are_open) == {True, False}
    assert are_open == sorted(are_open, reverse=True)


def test_filters_can_be_cleared_where_there_are_any(walker: Walker) -> None:
    link = f"//a[normalize-space()='{walker.world.labels['clear_filters']}']"
    walker.get("/items?sort=name")
    assert not walker.page.xpath(link)
    walker.get("/items?due=over")
    assert walker.page.xpath(link)[0].get("href") == "/items"


def test_what_was_archived_at_once_comes_back_at_once(walker: Walker) -> None:
    cards = [row.id for row in site("tasks", 0).entities["Card"][:2]]
    send(walker, "archive_ticked", items=cards)
    walker.get("/items")
    (moment,) = walker.page.xpath("//form[contains(@action, 'undo')]//input[@name='at']/@value")
    send(walker, "undo_archive", at=moment)
    assert "item" not in walker.changes()
    walker.get("/items")
    assert not walker.page.xpath("//form[contains(@action, 'undo')]")


def test_a_card_can_be_taken_by_whoever_does_not_own_it(walker: Walker) -> None:
    me = first("Person", seat=0)
    free = next(row for row in site("tasks", 0).entities["Card"] if row.is_open and row.owner != me.id)
    button = f"//button[normalize-space()='{walker.world.labels['take_item']}']"
    walker.get(f"/i/{free.id}")
    assert walker.page.xpath(button)
    send(walker, "take_item", item=free.id)
    ((_, after),) = walker.changes()["item"].altered
    assert (after.id, after.owner) == (free.id, me.id)
    walker.get(f"/i/{free.id}")
    assert not walker.page.xpath(button)


def test_a_copy_of_a_card_begins_with_what_the_card_says(walker: Walker) -> None:
    card = next(row for row in site("tasks", 0).entities["Card"] if row.tags and row.due and row.owner and row.about)
    walker.get(f"/new?copy={card.id}")
    texts = {
        field.get("name"): (field.get("value") or field.text or "").strip()
        for field in walker.page.xpath("//main//input[@name='name' or @name='due'] | //main//textarea")
    }
    chosen = set(walker.page.xpath("//main//option[@selected]/@value"))
    tags = set(walker.page.xpath("//main//input[@name='tags' and @checked]/@value"))
    assert texts == {"name": card.name, "due": card.due, "about": card.about}
    assert chosen == {card.project, card.priority, card.owner}
    assert tags == {row.tag for row in site("tasks", 0).entities["Tagging"] if row.item == card.id}
    walker.get("/new")
    assert not walker.page.xpath("//main//input[@checked]")


def test_a_card_says_that_it_is_due_today_and_how_many_comments_it_has(walker: Walker) -> None:
    cards = {row.name: row for row in site("tasks", 0).entities["Card"]}
    walker.get("/items?due=today")
    rows = walker.page.xpath("//main//*[@itemtype='https://schema.org/Action']")
    assert rows
    for row in rows:
        card = cards[row.xpath(".//*[@itemprop='name']/text()")[0]]
        texts = [text.strip() for text in row.xpath(".//text()")]
        assert walker.world.labels["is_today"] in texts
        assert row.xpath(".//*[@itemprop='commentCount']/text()") == ([str(card.comments)] if card.comments else [])


def test_a_tag_counts_the_open_cards_that_its_list_shows(walker: Walker) -> None:
    walker.get("/tags")
    counts = {
        tag.xpath(".//*[@itemprop='name']/text()")[0].strip(): tag.xpath(".//*[@itemprop='size']/text()")[0]
        for tag in walker.page.xpath("//*[@itemtype='https://schema.org/DefinedTerm']")
    }
    for tag in site("tasks", 0).entities["Tag"]:
        assert int(counts[tag.name]) == len(listed(walker, f"/items?state=open&tag={tag.id}"))


@pytest.mark.parametrize("seed", range(6))
def test_the_titles_of_a_board_are_all_of_another_kind(seed: int) -> None:
    world = site("tasks", seed)
    for project in world.entities["Project"]:
        starts = [row.name.split()[:2] for row in world.entities["Item"] if row.project == project.id]
        # Of a template that is used often, titles differ in a name alone.
        assert max(map(starts.count, starts)) <= 2, project.name


@pytest.mark.parametrize("seed", range(6))
def test_the_cards_of_a_project_are_about_its_own_company_and_room(seed: int) -> None:
    world, lists = site("tasks", seed), work()["words"]
    for project in world.entities["Project"]:
        text = " ".join(row.name for row in world.entities["Item"] if row.project == project.id)
        for kind in ("co", "place", "room"):
            # Of a kind of project, some texts name a company that builds as well, or a part of the team.
            assert len({name for name in lists[kind] if name in text}) <= 2, (project.name, kind)


@pytest.mark.parametrize("seed", range(6))
def test_projects_are_at_different_stages(seed: int) -> None:
    world = site("tasks", seed)
    shares = []
    for project in world.entities["Project"]:
        are_done = [not row.is_open for row in world.entities["Card"] if row.project == project.id]
        shares.append(sum(are_done) / len(are_done))
    gaps = [later - earlier for earlier, later in pairwise(sorted(shares))]
    assert min(gaps) > 0
    assert max(shares) - min(shares) > 0.4


def test_the_overview_greets_by_the_first_name(walker: Walker) -> None:
    me = first("Person", seat=0)
    walker.get("/")
    heading = walker.page.xpath("string(//h1)")
    assert me.first in heading
    assert me.name not in heading


def test_a_projects_bar_is_as_long_as_its_share_of_done_cards(walker: Walker) -> None:
    walker.get("/")
    projects = walker.page.xpath("//article[.//*[@itemprop='progress']]")
    assert len(projects) > 3
    for project in projects:
        done, total = map(int, project.xpath("string(.//*[@itemprop='progress'])").split(" / "))
        (bar,) = project.xpath(".//*[@class='kit-bar-full']/@width")
        assert int(bar) == round(100 * done / total)


@pytest.mark.parametrize("seed", range(4))
def test_descriptions_of_a_world_have_many_shapes(seed: int) -> None:
    world = site("tasks", seed)
    assert len({row.about for row in world.entities["Project"]}) == len(world.entities["Project"])
    cards = world.entities["Item"]
    described = [row for row in cards if row.about]
    assert 0.4 < len(described) / len(cards) < 0.7
    (_, repeated), *_ = Counter(row.about for row in described).most_common(1)
    assert repeated < 6
    waiting = [row for row in described if row.about.startswith(("Waiting", "Blocked", "Stuck", "Half done"))]
    assert waiting
    assert all(row.state != DONE for row in waiting)
