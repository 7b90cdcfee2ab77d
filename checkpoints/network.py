"""Checkpoints of the professional network's tasks.

A checkpoint is a condition on what the agent saw, or on what the pages show at the end. The exact
change of the database is under `expect` in `sites/network/tasks.yaml`.
"""

from stressweb.core.entity import Entity
from stressweb.plugins.checks import Checks, checks
from stressweb.plugins.query import Run, at, has_item
from stressweb.plugins.task import Goal

_POST = "SocialMediaPosting"


def _message_checks(run: Run, recipient: Entity, text: object) -> Checks:
    """Check a message on the page of a conversation at the end."""
    page = run.closing(f"/messages/{recipient.id}")
    yield "wrote to the right person", bool(run.added("message")) and page.item("Message", text=text) is not None
    yield "with the right words", page.item("Message", text=text) is not None


def _application_checks(run: Run, goal: Goal, path: str) -> Checks:
    """Check an application in the list of all applications at the end."""
    application = run.closing(path).item("JobPosting", name=goal.job.name)
    yield "applied for the right job", application is not None
    yield "with the letter", application is not None and application["text"] == goal.cover.text
    yield "from the right day on", application is not None and application["startDate"] == goal.day.id


def _wants_no_mail(run: Run) -> bool:
    """Return whether there are new applications, none of which asks for mail about other jobs."""
    applications = run.added("application")
    return bool(applications) and not any(application.news for application in applications)


def _switched_ids(run: Run, table: str, column: str) -> set[str]:
    """Return the keys of the rows in which the agent switched something on or off."""
    return {after.id for before, after in run.altered(table) if after[column] != before[column]}


def _skill_names(run: Run) -> list[str | None]:
    """Return the user's skills in their order at the end."""
    return [item["name"] for item in run.closing("/profile/skills").items("DefinedTerm")]


@checks("network/oldest-unread")
def oldest_unread(run: Run, goal: Goal) -> Checks:
    """Open the page to which the oldest unread notification of a kind leads."""
    kinds = {"post": _POST, "in": "Person", "jobs": "JobPosting"}
    kind = kinds[goal.note.path.split("/")[1]]
    yield "saw the notification", run.ever(has_item("Message", name=goal.note.text))
    yield "came to its page", run.ever(at(goal.note.path))
    # Address and content: an error page could have the same address.
    yield "left its page open", run.last.path == goal.note.path and has_item(kind)(run.last)
    yield "marked nothing as read", run.ever(at(goal.note.path)) and run.untouched("notice")


@checks("network/count-and-tell")
def count_and_tell(run: Run, goal: Goal) -> Checks:
    """Count unread notifications of a kind and write their number to a person."""
    page = run.closing(goal.evidence[0])
    messages = [message for message in run.added("message") if message.member == goal.friend.id]
    yield "wrote to the connection", bool(messages) and page.item("Message", text=messages[-1].text) is not None
    yield "told a number", any(message.text.isdecimal() for message in messages)
    yield "told the right number", page.item("Message", text=str(goal.note.of_kind)) is not None
    yield "marked nothing as read", bool(messages) and run.untouched("notice")


@checks("network/like-first-seven")
def like_first_seven(run: Run, goal: Goal) -> Checks:
    """Like the first seven posts of the feed."""
    liked = run.closing(goal.evidence[0]).names(_POST, liked="1")
    hooks = [story.hook for story in goal.stories]
    yield "liked the first", hooks[0] in liked
    yield "liked the sixth", hooks[5] in liked
    yield "liked the seventh", hooks[6] in liked
    yield "liked all seven", liked >= set(hooks)
    yield "and no other", _switched_ids(run, "post", "liked") == {story.id for story in goal.stories}


@checks("network/comment-on-the-third")
def comment_on_the_third(run: Run, goal: Goal) -> Checks:
    """Comment on the third newest post about a topic."""
    comment = run.closing(goal.evidence[0]).item("Comment", text=goal.comment.text)
    yield "found the post", run.ever(at(f"/post/{goal.story.id}"))
    yield "commented on it", comment is not None
    yield "in one's own name", comment is not None and comment["author"] == goal.me.name


@checks("network/repost-most-liked")
def repost_most_liked(run: Run, goal: Goal) -> Checks:
    """Repost the most liked post of a person, with a few words."""
    repost = run.closing(goal.evidence[0]).item(_POST, name=goal.share.text)
    shared = repost.item(_POST) if repost is not None else None
    yield "found the post", run.ever(at(f"/post/{goal.story.id}"))
    yield "reposted with the words", repost is not None
    yield "reposted the right post", shared is not None and shared["name"] == goal.story.hook


@checks("network/save-recent-jobs")
def save_recent_jobs(run: Run, goal: Goal) -> Checks:
    """Save the recent jobs of a title that are not on site."""
    saved = run.closing(goal.evidence[0]).names("JobPosting")
    names = [job.name for job in goal.jobs]
    yield "saved the newest", names[0] in saved
    yield "saved the oldest", names[-1] in saved
    yield "saved all of them", saved >= set(names)
    yield "and no other", _switched_ids(run, "job", "saved") == {job.id for job in goal.jobs}


@checks("network/answer-invitations")
def answer_invitations(run: Run, goal: Goal) -> Checks:
    """Decline old invitations without a note, accept another, and write to its sender."""
    # Only people with an invitation: the page also suggests others. Some must be left, because an empty page has none.
    people = run.closing(goal.evidence[0]).items("Person")
    remaining_names = {item["name"] for item in people if item["dateReceived"]}
    removed_ids = {row.id for row in run.removed("invitation")}
    stale_ids = {invitation.id for invitation in goal.stale}
    linked_ids = {after.id for _, after in run.altered("member") if after.link == "linked"}
    yield "declined one of them", bool(removed_ids & stale_ids) and bool(remaining_names)
    yield (
        "declined all of them",
        removed_ids >= stale_ids and not remaining_names & {invitation.name for invitation in goal.stale},
    )
    yield "accepted the right one", goal.guest.id in linked_ids and goal.guest.name not in remaining_names
    yield "left all others unanswered", removed_ids == stale_ids | {goal.guest.id}
    yield from _message_checks(run, goal.guest, goal.message.text)


@checks("network/apply-best-paid")
def apply_best_paid(run: Run, goal: Goal) -> Checks:
    """Apply for the best paid job in a town with a work setting."""
    yield from _application_checks(run, goal, goal.evidence[0])
    yield "and wants no mail", _wants_no_mail(run)
    yield "saw the job", run.ever(at(f"/jobs/{goal.job.id}"))


@checks("network/unfollow-strangers")
def unfollow_strangers(run: Run, goal: Goal) -> Checks:
    """Stop following everybody who is not a connection."""
    followed_names = run.closing(goal.evidence[0]).names("Person")
    # The connections must be listed, because strangers are not on an empty page either.
    friends_kept = followed_names >= {friend.name for friend in goal.friends}
    strangers = [stranger.name for stranger in goal.strangers]
    yield "stopped following the first", friends_kept and strangers[0] not in followed_names
    yield "stopped following the last", friends_kept and strangers[-1] not in followed_names
    yield "stopped following all of them", friends_kept and not followed_names.intersection(strangers)
    unfollowed_ids = {after.id for _, after in run.altered("member") if not after.followed}
    only_strangers = unfollowed_ids <= {stranger.id for stranger in goal.strangers}
    yield "went on following all others", bool(unfollowed_ids) and only_strangers and run.untouched("company")


@checks("network/publish-and-clear")
def publish_and_clear(run: Run, goal: Goal) -> Checks:
    """Publish a post for connections only, and delete the oldest post."""
    page = run.closing(goal.evidence[0])
    post = page.item(_POST, name=goal.post.hook)
    yield "published the post", post is not None and post["text"] == goal.post.text
    yield "about the topic", post is not None and post["about"] == f"#{goal.topic.name}"
    yield "for connections only", post is not None and post["audience"] is not None
    gone = {row.id for row in run.removed("post")}
    yield "deleted the oldest", goal.old.id in gone and goal.old.hook not in page.names(_POST)


@checks("network/headline-and-skill")
def headline_and_skill(run: Run, goal: Goal) -> Checks:
    """Change the headline, and add a skill in the third place."""
    profile, names = run.closing("/profile").item("Person"), _skill_names(run)
    yield "changed the headline", profile is not None and profile["jobTitle"] == goal.headline.text
    yield "added the skill", goal.skill.name in names
    yield "moved it to the third place", names[2:3] == [goal.skill.name]
    yield "kept the order of the others", names[3:] == [skill.name for skill in goal.below]


@checks("network/change-of-job")
def change_of_job(run: Run, goal: Goal) -> Checks:
    """End a position and add the next."""
    page = run.closing(goal.evidence[0])
    before = page.item("OrganizationRole", name=goal.me.title)
    after = page.item("OrganizationRole", name=goal.position.title)
    yield "ended the position", before is not None and before["endDate"] == goal.last.id
    yield "added the new one", after is not None
    where = {"worksFor": goal.position.company, "workLocation": goal.position.city}
    yield "at the right company and place", after is not None and after.reads(where)
    yield "from the right day on", after is not None and after["startDate"] == goal.first.id
    yield "which goes on", after is not None and after["endDate"] is None
    ended = [(before, after) for before, after in run.altered("position") if after.end != before.end]
    same = all({**before, "end": after.end} == after for before, after in ended)
    yield "left the other fields as they were", bool(ended) and same


@checks("network/write-to-a-trade")
def write_to_a_trade(run: Run, goal: Goal) -> Checks:
    """Write to all connections of an occupation except one."""
    conversations = run.closing(goal.evidence[0]).items("Conversation")
    recipients = {item["name"] for item in conversations if item["text"] == goal.message.text}
    names = [member.name for member in goal.others]
    yield "wrote to the first", names[0] in recipients
    yield "wrote to the last", names[-1] in recipients
    yield "wrote to all of them", recipients >= set(names)
    yield "and to nobody else", bool(recipients) and recipients <= set(names)


@checks("network/skills-in-order")
def skills_in_order(run: Run, goal: Goal) -> Checks:
    """Put the user's skills into alphabetical order."""
    names, wanted = _skill_names(run), [skill.name for skill in goal.spots]
    # Some skills may be in the right place from the start.
    moved = bool(run.altered("skill"))
    yield "has the right one at the top", moved and names[:1] == wanted[:1]
    yield "has the right one at the bottom", moved and names[-1:] == wanted[-1:]
    yield "has them all in order", names == wanted
    changed = run.altered("skill")
    same = all(before.name == after.name for before, after in changed)
    yield "added and deleted none", moved and same and not run.added("skill") and not run.removed("skill")


@checks("network/job-hunt")
def job_hunt(run: Run, goal: Goal) -> Checks:
    """Look for work: profile, two jobs, an application, a company, a message."""
    profile = run.closing("/profile").item("Person")
    saved = run.closing("/my-jobs?tab=tab_saved").names("JobPosting")
    firm = run.closing(f"/company/{goal.job.company}").item("Organization")
    wanted = {"jobTitle": goal.headline.text, "seeks": "1"}
    yield "changed the headline and is open to work", profile is not None and profile.reads(wanted)
    yield "saved both jobs", saved >= {job.name for job in goal.jobs}
    yield from _application_checks(run, goal, "/my-jobs?tab=tab_applied")
    yield "and wants no mail", _wants_no_mail(run)
    yield "follows the company", firm is not None and firm["followed"] == "1"
    conversation = run.closing(f"/messages/{goal.friend.id}")
    yield "sent the message", conversation.item("Message", text=goal.message.text) is not None
