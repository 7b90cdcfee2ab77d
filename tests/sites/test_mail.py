"""Logic of the mail site: forms of dates, and the parts of letters."""

import re
from collections import Counter
from datetime import date, timedelta
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest

from stressweb.plugins.query import State
from stressweb.plugins.steps import Step
from stressweb.sites.kit.look import faces
from stressweb.sites.kit.wording import dates
from stressweb.sites.mail.letters import corpus
from stressweb.sites.mail.mailbox import when
from stressweb.walking.walker import Walker
from tests.support.crawling import site, visitor

DAY_FIRST, MONTH_FIRST = dates.STYLES


def visit(style: str) -> Any:
    """Return what `when` reads of a visit, on 3 March 2027."""
    return SimpleNamespace(today="2027-03-03", look=SimpleNamespace(dates=style), say=lambda label: f"<{label}>")


@pytest.mark.parametrize(
    ("arrival", "day_first", "month_first"),
    [
        ("2027-03-03T07:05:09", "07:05", "07:05"),
        ("2027-03-02T23:59:00", "<yesterday>", "<yesterday>"),
        ("2027-03-01T08:00:00", "1 March", "March 1"),
        ("2026-12-24T08:00:00", "24 December 2026", "December 24, 2026"),
    ],
)
def test_lists_show_time_yesterday_or_day(arrival: str, day_first: str, month_first: str) -> None:
    assert when(visit(DAY_FIRST), arrival) == day_first
    assert when(visit(MONTH_FIRST), arrival) == month_first


@pytest.mark.parametrize("seed", range(6))
def test_mail_comes_by_day_in_order_and_no_subject_holds_another(seed: int) -> None:
    world = site("mail", seed)
    subjects = [thread.subject for thread in world.entities["Thread"]]
    assert not [(subject, other) for subject in subjects for other in subjects if subject != other and subject in other]
    sent: dict[str, list[str]] = {}
    for mail in world.entities["Message"]:
        sent.setdefault(mail.thread, []).append(mail.at)
        assert "07:00" <= mail.at[11:16] < "23:00"
        assert mail.at < world.start.isoformat(sep=mail.at[10])
    assert all(moments == sorted(set(moments)) for moments in sent.values())


def test_the_inbox_shows_yesterdays_mail_as_such() -> None:
    walker = next(walker for walker in (visitor("mail", seed) for seed in range(20)) if _yesterdays(walker.world))
    walker.get("/")
    times = walker.page.xpath("//main//time[@itemprop='dateSent']")
    label = walker.world.labels["yesterday"]
    yesterday = str(walker.world.start.date() - timedelta(days=1))
    assert [time for time in times if time.text_content() == label]
    assert all((time.text_content() == label) == time.get("datetime").startswith(yesterday) for time in times)
    assert len(State(walker.url, walker.html).items("Conversation")) == len(times)


@pytest.mark.parametrize("folder", ["/", "/archive"])
def test_a_folder_is_narrowed_and_ordered_and_each_keeps_the_other(folder: str) -> None:
    walker = visitor("mail", 3)
    walker.get("/settings")
    do(walker, ("choose", "page_size", "size_25"), ("press", "save_general"))
    walker.get(folder)
    whole = _listed(walker)
    do(walker, ("open", "order_old"))
    assert walker.url.startswith(folder)
    moments = [moment for _, moment, _ in _listed(walker)]
    assert moments == sorted(moments)
    do(walker, ("open", "show_starred"))
    starred = _listed(walker)
    assert starred
    assert all(is_starred for _, _, is_starred in starred)
    assert [moment for _, moment, _ in starred] == sorted(moment for _, moment, _ in starred)
    assert {row for row in whole if row[2]} <= {*starred}
    marked = walker.page.xpath("//main//a[@aria-current]")
    assert [link.text_content() for link in marked] == [
        walker.world.labels[key] for key in ("show_starred", "order_old")
    ]
    do(walker, ("open", "order_sender"))
    people = [who for who, _, _ in _listed(walker)]
    assert people == sorted(people, key=str.casefold)
    do(walker, ("open", "show_all"), ("open", "order_new"))
    assert _listed(walker) == whole


def test_a_draft_is_kept_changed_and_gone_once_it_is_sent() -> None:
    walker = visitor("mail", 3)
    labels, contact = walker.world.labels, walker.world.entities["Contact"][0]
    do(
        walker,
        ("open", "link_compose"),
        ("enter", "to", contact.name),
        ("enter", "body", "Half a"),
        ("press", "save_draft"),
    )
    assert walker.url == "/drafts"
    (row,) = walker.changes()["draft"].added
    assert (row["to"], row["subject"], row["body"]) == (contact.name, "", "Half a")
    do(walker, ("open", "no_subject"), ("enter", "subject", "A walk"), ("enter", "body", "Half a mail"))
    do(walker, ("press", "save_draft"))
    (row,) = walker.changes()["draft"].added
    assert (row["to"], row["subject"], row["body"]) == (contact.name, "A walk", "Half a mail")
    do(walker, ("open", "A walk"), ("press", "send_mail"))
    assert "draft" not in walker.changes()
    (mail,) = walker.changes()["message"].added
    assert (mail["to"], mail["body"]) == (contact.email, "Half a mail")
    do(walker, ("open", "link_drafts"))
    walker.do(Step(verb="press", target=labels["drop_draft"], on=walker.world.entities["Draft"][0].subject))
    assert [draft["subject"] for draft in walker.changes()["draft"].removed] == [
        walker.world.entities["Draft"][0].subject
    ]


def test_a_refused_mail_can_still_be_kept() -> None:
    walker = visitor("mail", 3)
    do(walker, ("open", "link_compose"), ("enter", "body", "No addressee yet"), ("press", "send_mail"))
    assert walker.page.xpath("//*[@aria-invalid='true']")
    do(walker, ("press", "save_draft"))
    (row,) = walker.changes()["draft"].added
    assert row["body"] == "No addressee yet"


def test_a_draft_that_is_too_long_says_so_at_its_field() -> None:
    walker = visitor("mail", 3)
    do(walker, ("open", "link_compose"), ("enter", "subject", "A" * 130), ("press", "save_draft"))
    assert "draft" not in walker.changes()
    (field,) = walker.page.xpath("//*[@aria-invalid='true']")
    assert (field.get("name"), field.get("value")) == ("subject", "A" * 130)
    (problem,) = walker.page.xpath("//*[contains(@class, 'invalid-feedback')]")
    assert problem.get("id") == field.get("aria-describedby")


@pytest.mark.parametrize(
    ("folder", "label"),
    [("inbox", "link_inbox"), ("archive", "link_archive"), ("sent", "link_sent"), ("trash", "link_trash")],
)
def test_a_conversation_leads_back_to_its_folder(folder: str, label: str) -> None:
    walker = visitor("mail", 3)
    thread = next(row for row in walker.world.entities["Thread"] if row.folder == folder)
    walker.get(f"/t/{thread.id}")
    (link,) = walker.page.xpath("//nav[.//ol]//a")
    assert link.text_content() == walker.world.labels[label]
    assert link.get("href") == site("mail", 3).spec.frame.sections[label]


def do(walker: Walker, *steps: tuple[str, str] | tuple[str, str, str]) -> None:
    """Walk steps of a verb, a label key or text, and a value."""
    labels = walker.world.labels
    for verb, target, *text in steps:
        entry = labels.get(text[0], text[0]) if text else None
        walker.do(Step(verb=verb, target=labels.get(target, target), value=entry))


def _listed(walker: Walker) -> list[tuple[str, str, bool]]:
    """Return who wrote each conversation of the page, when, and whether it has a star."""
    rows = State(walker.url, walker.html).items("Conversation")
    return [((row["sender"] or "").partition(" (")[0], row["dateSent"] or "", row["starred"] == "1") for row in rows]


def _yesterdays(world: Any) -> bool:
    yesterday: date = world.start.date() - timedelta(days=1)
    return any(row.folder == "inbox" and row.day == str(yesterday) for row in world.entities["Letter"])


@pytest.mark.parametrize("seed", [0, 3, 6, 11])
def test_a_topic_comes_once_in_the_inbox(seed: int) -> None:
    kinds = [*corpus()["kinds"], *_companies()]
    patterns = {topic["subject"]: _pattern(topic["subject"]) for kind in kinds for topic in kind["topics"]}
    inbox = [letter for letter in site("mail", seed).entities["Letter"] if letter.folder == "inbox"]
    topics = Counter(
        (letter.writer, subject)
        for letter in inbox
        for subject, pattern in patterns.items()
        if pattern.fullmatch(letter.subject)
    )
    assert len(inbox) <= topics.total()
    assert [pair for pair, count in topics.items() if count > 1] == []
    people = {subject for kind in corpus()["kinds"] for subject in (topic["subject"] for topic in kind["topics"])}
    subjects = Counter(subject for _, subject in topics if subject in people)
    assert [subject for subject, count in subjects.items() if count > 1] == []


@pytest.mark.parametrize("seed", [0, 3, 6, 11])
def test_labels_fit_the_subject(seed: int) -> None:
    world = site("mail", seed)
    kinds = [*corpus()["kinds"], *_companies()]
    topics = [(_pattern(topic["subject"]), {*kind["labels"], *topic.get("labels", ())})
              for kind in kinds for topic in kind["topics"]]  # fmt: skip
    names = {label.id: label.name for label in world.entities["MailLabel"]}
    subjects = {thread.id: thread.subject for thread in world.entities["Thread"]}
    taggings = world.entities["Tagging"]
    assert len(taggings) > len(subjects) / 8
    for tagging in taggings:
        fitting = [labels for pattern, labels in topics if pattern.fullmatch(subjects[tagging.thread])]
        assert any(names[tagging.label] in labels for labels in fitting), subjects[tagging.thread]


def _companies() -> list[dict[str, Any]]:
    return [*corpus()["newsletters"], *corpus()["services"]]


@pytest.mark.parametrize("seed", range(6))
def test_companies_write_a_third_of_the_inbox_and_people_the_rest(seed: int) -> None:
    inbox = [letter for letter in site("mail", seed).entities["Letter"] if letter.folder == "inbox"]
    for letters in (inbox, inbox[:15]):
        by = Counter(letter.by for letter in letters)
        assert by.keys() == {"person", "paper", "service"}
        assert 0.2 <= (by["paper"] + by["service"]) / by.total() < 0.5
    # Some of the first are unread and some are not, so that a reader sees the difference.
    assert 0 < sum(letter.unread for letter in inbox[:7]) < 7


def test_faces_of_companies_are_logos() -> None:
    assert not [company["id"] for company in _companies() if faces.is_person(company["id"])]


@pytest.mark.parametrize("seed", range(4))
def test_an_unread_conversation_says_so_in_its_row(seed: int) -> None:
    walker = visitor("mail", seed)
    unread = {thread.subject: thread.unread for thread in walker.world.entities["Thread"]}
    rows = walker.page.xpath("//main//*[@itemtype='https://schema.org/Conversation']")
    assert rows
    for row in rows:
        is_unread = unread[row.xpath(".//*[@itemprop='name']//text()")[0].strip()]
        assert ("kit-strong" in row.get("class")) == bool(is_unread)
        assert (walker.world.labels["is_unread"] in row.text_content()) == bool(is_unread)


def _pattern(template: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\\\{\w+\\\}", ".+", re.escape(template)), re.IGNORECASE)


def test_every_label_is_known_and_every_topic_can_be_answered() -> None:
    known = {label["name"] for label in corpus()["labels"]}
    used = set[str]()
    for kind in corpus()["kinds"]:
        assert all({"text", "answer", "back"} <= topic.keys() for topic in kind["topics"]), kind["id"]
    for kind in [*corpus()["kinds"], *_companies()]:
        used |= {*kind["labels"]}.union(*(topic.get("labels", ()) for topic in kind["topics"]))
    assert used == known


@pytest.mark.parametrize("seed", range(4))
def test_letters_beside_each_other_look_different(seed: int) -> None:
    world = site("mail", seed)
    bodies = {row.thread: row.body for row in world.entities["Message"]}
    inbox = [row for row in world.entities["Thread"] if row.folder == "inbox"]
    openings = [bodies[row.id].partition("\n\n")[0] for row in inbox]
    # No two mails that are listed one after the other begin with the same greeting, and many have none.
    greeted = [opening if opening.endswith((",", "!")) and len(opening) < 40 else "" for opening in openings]
    assert not any(first == second != "" for first, second in pairwise(greeted))
    assert 0.2 < greeted.count("") / len(greeted) < 0.8


@pytest.mark.parametrize("seed", range(4))
def test_some_mails_show_a_telephone_number(seed: int) -> None:
    world = site("mail", seed)
    phones = {row.phone for row in world.entities["Person"]}
    numbered = [row for row in world.entities["Message"] if any(phone in row.body for phone in phones)]
    assert 0 < len(numbered) < len(world.entities["Message"]) / 3
    # Strangers give their number, so that a goal can ask for it.
    assert any(row.phone for row in world.entities["Letter"] if row.folder == "inbox" and not row.known)
    assert all("555" not in phone for phone in phones)
    assert len(phones) == len(world.entities["Person"])
