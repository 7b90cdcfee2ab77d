"""Logic of the network: whom one can write to, answers to invitations, posts, skills and applications."""

import re
from typing import Any

import pytest

from stressweb.core.entity import Entity
from stressweb.plugins.query import State
from stressweb.plugins.steps import Step
from stressweb.sites.network.trades import corpus
from stressweb.walking.walker import Walker
from tests.support.crawling import send, site, visitor


@pytest.fixture
def walker() -> Walker:
    return visitor("network", 0)


def changed(walker: Walker) -> set[str]:
    return walker.changes().keys() - walker.world.uncounted


def first(entity: str, **where: Any) -> Entity:
    return next(row for row in site("network", 0).entities[entity] if all(row[key] == where[key] for key in where))


@pytest.mark.parametrize(("action", "link"), [("accept", "linked"), ("decline", "unknown")])
def test_an_answer_takes_the_invitation_away(walker: Walker, action: str, link: str) -> None:
    guest = first("Invitation")
    send(walker, action, invitation=guest.id)
    (gone,) = walker.changes()["invitation"].removed
    ((_, after),) = walker.changes()["member"].altered
    assert (gone["id"], after["id"], after["link"]) == (guest.id, guest.member, link)
    assert bool(after["since"]) == (link == "linked")
    # There is nothing left to answer.
    assert walker.world.labels["error_form"] in send(walker, "accept", invitation=guest.id)
    assert changed(walker) == {"invitation", "member"}


def test_only_connections_are_written_to(walker: Walker) -> None:
    stranger, friend = first("Member", link="unknown"), first("Friend")
    send(walker, "send_message", member=stranger.id, message_text="Hello")
    send(walker, "write_message", to=stranger.name, message_text="Hello")
    assert changed(walker) == set()
    assert walker.fetch(f"/messages/{stranger.id}").status_code == 404
    # Capitals and blanks make no difference to a name.
    send(walker, "write_message", to=f"  {friend.name.upper()} ", message_text="Hello")
    (added,) = walker.changes()["message"].added
    assert (added["member"], added["mine"], added["text"]) == (friend.id, 1, "Hello")
    assert walker.url == f"/messages/{friend.id}"


def test_a_post_is_called_by_its_first_sentence(walker: Walker) -> None:
    texts = ("One line", "First. Second one! Third.", "Is it?\nYes.", f"{'long ' * 40}. End.")
    for text in texts:
        send(walker, "send_post", post_text=text, audience="audience_all", post_topic="")
    added = {row["hook"]: row["text"] for row in walker.changes()["post"].added}
    assert added == {"One line": "", "First.": "Second one! Third.", "Is it?": "Yes.", " ".join(texts[3].split()): ""}
    walker.get("/")
    assert "First." in walker.html


def test_what_is_passed_on_twice_is_the_original(walker: Walker) -> None:
    story = first("Story", of="", by="other")

    def count() -> int:
        walker.get(f"/post/{story.id}")
        return int(walker.page.xpath("//*[@itemprop='shareCount']")[0].text)

    before = count()
    send(walker, "share_post", post=story.id, share_text="Look.")
    send(walker, "share_post", post="look", share_text="Look again.")
    assert {row["of"] for row in walker.changes()["post"].added} == {story.id}
    assert count() == before + 2


def test_a_post_has_its_page_after_its_author_is_no_connection(walker: Walker) -> None:
    """No list has it any more, but somebody may still have its page open."""
    story = first("Story", of="", by="other")
    send(walker, "disconnect", member=story.author)
    ((_, member),) = walker.changes()["member"].altered
    if member["followed"]:
        send(walker, "toggle_follow", member=story.author)
    walker.get(f"/post/{story.id}")
    assert (story.hook in walker.html, member["name"] in walker.html) == (True, True)
    walker.get("/")
    assert f"/post/{story.id}" not in walker.html


def test_only_ones_own_is_deleted(walker: Walker) -> None:
    other, mine = first("Story", by="other"), first("Story", by="me")
    comment = first("Comment")
    send(walker, "drop_post", post=other.id)
    send(walker, "drop_comment", comment=comment.id)
    assert changed(walker) == set()
    send(walker, "add_comment", post=mine.id, comment_text="Mine")
    send(walker, "drop_post", post=mine.id)
    assert not walker.changes().get("comment") or not walker.changes()["comment"].added
    assert [row["id"] for row in walker.changes()["post"].removed] == [mine.id]


def test_skills_keep_places_without_gaps(walker: Walker) -> None:
    names = [skill.name for skill in site("network", 0).entities["Skill"]]
    keys = [skill.id for skill in site("network", 0).entities["Skill"]]

    def order() -> list[str]:
        walker.get("/profile/skills")
        return [name.text for name in walker.page.xpath("//main//*[@itemprop='name']")]

    send(walker, "skill_up", skill=keys[2])
    assert order() == [names[0], names[2], names[1], *names[3:]]
    send(walker, "skill_down", skill=keys[2])
    send(walker, "skill_up", skill=keys[0])
    assert order() == names
    send(walker, "drop_skill", skill=keys[3])
    send(walker, "add_skill", name="Whittling")
    assert order() == [*names[:3], *names[4:], "Whittling"]
    rows = walker.database.execute("SELECT place FROM skill ORDER BY place").fetchall()
    assert rows == [(place,) for place in range(1, len(names) + 1)]


def test_a_job_is_applied_for_once_and_for_a_day_to_come(walker: Walker) -> None:
    job = first("Opening")
    form = {"job": job.id, "cover": "Me.", "news": ""}
    send(walker, "send_application", **form, begin="2020-01-01")
    assert changed(walker) == set()
    for _ in range(2):
        send(walker, "send_application", **form, begin="2040-01-01")
    assert [row["job"] for row in walker.changes()["application"].added] == [job.id]
    walker.get(f"/jobs/{job.id}")
    assert not walker.page.xpath(f"//a[@href='/jobs/{job.id}/apply']")


def test_a_search_leaves_the_jobs_that_were_asked_for(walker: Walker) -> None:
    rows = site("network", 0).entities["Opening"]
    job = next(row for row in rows if row.age > 7)
    walker.get(f"/jobs?words={job.title}&town={job.town}&mode={job.mode}&order=pay&shown=9")
    fits = [row for row in rows if (row.title, row.town, row.mode) == (job.title, job.town, job.mode)]
    expected = [opening.name for opening in sorted(fits, key=lambda opening: -opening.salary)]
    assert [name.text for name in walker.page.xpath("//main//*[@itemprop='name']")] == expected
    walker.get(f"/jobs?words={job.title}&within=7&shown=9")
    recent = {row.name for row in rows if row.title == job.title and row.age <= 7}
    assert {name.text for name in walker.page.xpath("//main//*[@itemprop='name']")} == recent


def test_the_feed_and_the_connections_are_ordered_as_asked(walker: Walker) -> None:
    labels = walker.world.labels
    newest = _items(walker, "SocialMediaPosting", "datePublished")
    assert newest == sorted(newest, reverse=True)
    walker.do(Step(verb="open", target=labels["feed_top"]))
    likes = [int(count) for count in _items(walker, "SocialMediaPosting", "interactionCount")]
    assert likes == sorted(likes, reverse=True)
    assert len(likes) > 2
    # What is asked for stays when the list grows.
    walker.do(Step(verb="press", target=labels["show_more"]))
    more = [int(count) for count in _items(walker, "SocialMediaPosting", "interactionCount")]
    assert len(more) > len(likes)
    assert more == sorted(more, reverse=True)
    walker.do(Step(verb="open", target=labels["link_connections"]))
    names = _items(walker, "Person", "name")
    assert names == sorted(names)
    walker.do(Step(verb="choose", target=labels["sort_by"], value=labels["order_recent"]))
    walker.do(Step(verb="press", target=labels["find_people"]))
    days = _items(walker, "Person", "startDate")
    assert days == sorted(days, reverse=True)
    assert labels["people_count"].replace("{count}", str(len(names))) in walker.html


def _items(walker: Walker, sort: str, prop: str) -> list[str]:
    """Return a property of each item of a page that has it."""
    return [row[prop] or "" for row in State(walker.url, walker.html).items(sort) if row[prop]]


@pytest.mark.parametrize("seed", [0, 3, 6, 11])
def test_who_shares_a_post_writes_about_it(seed: int) -> None:
    stories = templates()
    posts = {post.id: post for post in site("network", seed).entities["Post"]}
    shares = [post for post in posts.values() if post.of]
    assert len(shares) > 2
    assert len({post.of for post in shares}) == len(shares)
    for share in shares:
        story = _story(posts[share.of], stories)
        assert any(
            _matches(echo["hook"], share.hook) and _matches(echo["text"], share.text) for echo in story["shares"]
        )


def templates() -> list[dict[str, Any]]:
    """Return the stories of the corpus, of any trade and of each."""
    groups = [*corpus("posts")["topics"], *corpus("trades").values()]
    return [story for group in groups for story in group["stories"]]


def _story(post: Entity, stories: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the story that a post tells."""
    greetings = ["", *(greeting for voice in corpus("voices")["voices"] for greeting in voice.get("opens", ()))]
    (story,) = [
        story
        for story in stories
        if any(_matches(f"{greeting} {story['hook']}".strip(), post.hook) for greeting in greetings)
    ]
    return story


@pytest.mark.parametrize("seed", [0, 3, 6, 11])
def test_a_comment_answers_the_very_post_below_which_it_stands(seed: int) -> None:
    posts = {post.id: post for post in site("network", seed).entities["Post"]}
    stories, answered = templates(), 0
    previous = Entity({"post": "", "text": ""})
    for comment in sorted(site("network", seed).entities["Comment"], key=lambda comment: (comment.post, comment.at)):
        post = posts[comment.post]
        if post.of:
            assert comment.text in corpus("posts")["reposts"]
            assert comment.author not in {post.author, posts[post.of].author}
            continue
        talks = [{"says": talk} if isinstance(talk, str) else talk for talk in _story(post, stories)["comments"]]
        if comment.author == post.author:
            # An answer stands right below its question.
            assert previous.post == post.id
            assert any(
                _matches(talk["reply"], comment.text) and _matches(talk["says"], previous.text)
                for talk in talks
                if "reply" in talk
            ), comment.text
            answered += 1
        else:
            assert any(_matches(talk["says"], comment.text) for talk in talks), comment.text
        previous = comment
    assert answered > 9


@pytest.mark.parametrize("seed", range(25))
def test_no_two_posts_of_the_first_pages_tell_one_story(seed: int) -> None:
    stories = templates()
    feed = [post for post in site("network", seed).entities["Post"][:-31:-1] if not post.of]
    hooks = [_story(post, stories)["hook"] for post in feed]
    assert len({*hooks}) == len(hooks) > 20


def _matches(template: str, text: str) -> bool:
    pattern = re.sub(r"\\\{\w+\\\}", ".+", re.escape(template))
    return re.fullmatch(pattern, text, re.IGNORECASE) is not None


def test_a_post_reads_as_text_from_its_first_sentence_on(walker: Walker) -> None:
    (name, *_) = walker.page.xpath("//article//*[@itemprop='name']/ancestor::h2")
    assert "kit-prose" in name.get("class").split()
    walker.get(name.xpath(".//@href")[0])
    assert not walker.page.xpath("//main//*[@itemprop='name' and contains(@class, 'fs-5')]")
