"""What the mailbox's checkpoints ask of conversations and mails."""

from stressweb.core.entity import Entity
from stressweb.plugins.checks import Checks
from stressweb.plugins.query import Item, Run, has_item

TABLES = ("thread", "message", "tagging", "mail_label", "contact", "template", "scheduled", "setting")


def page(thread: str) -> str:
    """Return the path of a conversation's page."""
    return f"/t/{thread}"


def found(run: Run, thread: str) -> bool:
    """Return whether the agent had a conversation before it: its page, or a form of it, or it changed it in a list."""
    return thread in run.touched("thread") or run.ever(
        lambda state: state.path == page(thread) or state.path.startswith(f"{page(thread)}/")
    )


def stands(run: Run, letter: Entity) -> Item | None:
    """Return a conversation as its own page shows it at the end."""
    return run.closing(page(letter.id)).item("Conversation", name=letter.subject)


def mail(run: Run, thread: str, **props: object) -> Item | None:
    """Return a mail of a conversation as its page shows it at the end: the first one unless `props` ask for another."""
    return run.closing(page(thread)).item("EmailMessage", **props)


def sent(run: Run, subject: str) -> Item | None:
    """Return the mail that begins the conversation which the agent has begun, if that has the subject."""
    page = run.closing("/t/{made.id}")
    return page.item("EmailMessage") if page.item("Conversation", name=subject) is not None else None


def left_open(run: Run, thread: str, subject: str) -> Checks:
    """Check a look that changes nothing: a conversation was found and its page is left open, with its mails."""
    yield "found the conversation", found(run, thread)
    # Address and content: an error page has the address, too, and shows nothing of it.
    shown = run.left_open(page(thread))
    yield "left its page open", has_item("Conversation", name=subject)(shown)
    yield "has its mails open", has_item("EmailMessage")(shown)
    yield "changed nothing", found(run, thread) and run.untouched(*TABLES)


def has_label(item: Item, label: Entity) -> bool:
    """Return whether a conversation in a list has a label."""
    return item.item("DefinedTerm", name=label.name) is not None


def planned(run: Run, path: str, new: Entity, contact: Entity, day: Entity, time: str) -> Checks:
    """Check a mail that is to be sent later, as a page shows it at the end."""
    made = run.closing(path).item("EmailMessage", name=new.title)
    yield "prepared the mail", made is not None
    yield "to the contact", made is not None and made["toRecipient"] == contact.email
    yield "with the text", made is not None and made["text"] == new.text
    yield "for the day", made is not None and made["sendDay"] == day.id
    yield "at the time", made is not None and made["sendTime"] == time
