"""Conditions on conversations and mails, for the mailbox's checkpoints."""

from stressweb.core.entity import Entity
from stressweb.plugins.checks import Checks
from stressweb.plugins.query import Item, Run, has_item

TABLES = ("thread", "message", "tagging", "mail_label", "contact", "template", "scheduled", "setting")


def page(thread: str) -> str:
    """Return the path of a conversation's page."""
    return f"/t/{thread}"


def saw(run: Run, thread: str) -> bool:
    """Return whether the agent opened a conversation's page or a form of it, or changed it in a list."""
    return thread in run.touched("thread") or run.ever(
        lambda state: state.path == page(thread) or state.path.startswith(f"{page(thread)}/")
    )


def at_the_end(run: Run, letter: Entity) -> Item | None:
    """Return a conversation from its own page at the end."""
    return run.closing(page(letter.id)).item("Conversation", name=letter.subject)


def mail(run: Run, thread: str, **props: object) -> Item | None:
    """Return the first mail with these `props` from the page of a conversation at the end."""
    return run.closing(page(thread)).item("EmailMessage", **props)


def sent_mail(run: Run, subject: str) -> Item | None:
    """Return the first mail of the conversation that the agent started, if the conversation has this subject."""
    page = run.closing("/t/{made.id}")
    return page.item("EmailMessage") if page.item("Conversation", name=subject) is not None else None


def left_open(run: Run, thread: str, subject: str) -> Checks:
    """Check that the agent left the page of a conversation open, with its mails, and changed nothing."""
    yield "found the conversation", saw(run, thread)
    # Address and content: an error page could have the same address.
    page_left = run.left_open(page(thread))
    yield "left its page open", has_item("Conversation", name=subject)(page_left)
    yield "has its mails open", has_item("EmailMessage")(page_left)
    yield "changed nothing", saw(run, thread) and run.untouched(*TABLES)


def has_label(item: Item, label: Entity) -> bool:
    """Return whether a conversation in a list has a label."""
    return item.item("DefinedTerm", name=label.name) is not None


def planned_mail(run: Run, path: str, new: Entity, contact: Entity, day: Entity, time: str) -> Checks:
    """Check a scheduled mail on a page at the end."""
    scheduled = run.closing(path).item("EmailMessage", name=new.title)
    yield "prepared the mail", scheduled is not None
    yield "to the contact", scheduled is not None and scheduled["toRecipient"] == contact.email
    yield "with the text", scheduled is not None and scheduled["text"] == new.text
    yield "for the day", scheduled is not None and scheduled["sendDay"] == day.id
    yield "at the time", scheduled is not None and scheduled["sendTime"] == time
