"""Checkpoints of the mailbox's tasks.

A checkpoint is a condition on what the agent saw, or on what the pages show at the end. The exact
change of the database is under `expect` in `sites/mail/tasks.yaml`.
"""

from stressweb.checkpoints.letters import at_the_end, has_label, left_open, mail, planned_mail, saw, sent_mail
from stressweb.plugins.checks import Checks, checks
from stressweb.plugins.query import Run
from stressweb.plugins.task import Goal


@checks("mail/find-by-sender-and-day")
def find_by_sender_and_day(run: Run, goal: Goal) -> Checks:
    """Open a mail of a sender from a day."""
    return left_open(run, goal.letter.id, goal.letter.subject)


@checks("mail/second-latest-sent")
def second_latest_sent(run: Run, goal: Goal) -> Checks:
    """Open the second latest mail to a person."""
    return left_open(run, goal.mail.thread, goal.mail.subject)


@checks("mail/write-with-a-copy")
def write_with_a_copy(run: Run, goal: Goal) -> Checks:
    """Write a mail to two people."""
    message = sent_mail(run, goal.mail.title)
    yield "sent a mail with the subject", message is not None
    yield "to the first person", message is not None and message["toRecipient"] == goal.one.email
    yield "with a copy to the second", message is not None and message["ccRecipient"] == goal.two.email
    yield "with the text", message is not None and message["text"] == goal.mail.text


@checks("mail/answer-star-and-archive")
def answer_star_and_archive(run: Run, goal: Goal) -> Checks:
    """Answer the latest mail from a person, then star and archive it."""
    conversation, answer = at_the_end(run, goal.letter), mail(run, goal.letter.id, text=goal.reply.text)
    yield "found the conversation", saw(run, goal.letter.id)
    yield "sent the answer", answer is not None
    yield (
        "to its sender alone",
        answer is not None and answer.reads({"toRecipient": goal.letter.email}) and not answer["ccRecipient"],
    )
    yield "starred it", conversation is not None and conversation["starred"] == "1"
    yield "archived it", conversation is not None and conversation["folder"] == "archive"


@checks("mail/answer-everybody")
def answer_everybody(run: Run, goal: Goal) -> Checks:
    """Answer a mail to all its recipients."""
    answer = mail(run, goal.letter.id, text=goal.reply.text)
    yield "found the conversation", saw(run, goal.letter.id)
    yield "sent the answer", answer is not None
    yield "to the sender", answer is not None and answer["toRecipient"] == goal.letter.email
    yield "with a copy to the others", answer is not None and answer["ccRecipient"] == goal.letter.others


@checks("mail/forward-with-a-note")
def forward_with_a_note(run: Run, goal: Goal) -> Checks:
    """Forward a mail with a note."""
    message = sent_mail(run, f"Fwd: {goal.letter.subject}")
    yield "found the conversation", saw(run, goal.letter.id)
    yield "forwarded its last mail", message is not None and message.item("Quotation") is not None
    yield "to the contact", message is not None and message["toRecipient"] == goal.contact.email
    yield "with the note", message is not None and message["text"] == goal.note.text


@checks("mail/star-exactly-seven")
def star_exactly_seven(run: Run, goal: Goal) -> Checks:
    """Star the seven newest conversations."""
    starred = run.closing("/").names("Conversation", starred="1")
    yield "starred the newest", goal.first.subject in starred
    yield "starred the seventh", goal.last.subject in starred
    yield "starred all seven", starred >= {letter.subject for letter in goal.letters}
    yield "and no other conversation", run.only("thread", goal.letters, "starred")


@checks("mail/restore-the-oldest")
def restore_the_oldest(run: Run, goal: Goal) -> Checks:
    """Restore the oldest conversation of a sender from the trash."""
    conversation, trashed = at_the_end(run, goal.letter), run.closing(goal.evidence[1]).items("Conversation")
    yield "found the conversation", saw(run, goal.letter.id)
    yield "took it out of the trash", conversation is not None and conversation["folder"] != "trash"
    yield "put it back into the inbox", conversation is not None and conversation["folder"] == "inbox"
    yield "left the others in the trash", bool(trashed) and run.only("thread", [goal.letter], "folder", "was")


@checks("mail/label-a-sender")
def label_a_sender(run: Run, goal: Goal) -> Checks:
    """Put a label on every conversation of a sender."""
    tagged = {item["name"] for item in run.closing(goal.evidence[0]).items("Conversation") if has_label(item, goal.tag)}
    subjects = [letter.subject for letter in goal.letters]
    yield "labelled the newest", subjects[0] in tagged
    yield "labelled the oldest", subjects[-1] in tagged
    yield "labelled all of them", tagged >= set(subjects)
    threads = {row.thread for row in run.added("tagging") if row.label == goal.tag.id}
    others = threads - {letter.id for letter in goal.letters}
    yield "changed no other conversation", bool(threads) and not others and not run.touched("thread")


@checks("mail/archive-what-is-old")
def archive_what_is_old(run: Run, goal: Goal) -> Checks:
    """Archive old conversations without a star."""
    inbox_subjects = run.closing(goal.evidence[0]).names("Conversation")
    archived_ids = {after.id for _, after in run.altered("thread") if after.folder == "archive"}
    ids = [letter.id for letter in goal.letters]
    yield "archived the newest of them", ids[0] in archived_ids
    yield "archived the oldest of them", ids[-1] in archived_ids
    yield "archived all of them", archived_ids >= set(ids)
    # `archived_ids`, because an agent that did nothing must not pass.
    yield "kept what has a star", bool(archived_ids) and inbox_subjects >= {letter.subject for letter in goal.starred}


@checks("mail/clear-a-newsletter")
def clear_a_newsletter(run: Run, goal: Goal) -> Checks:
    """Star the latest issue of a newsletter and delete the others."""
    inbox, trash = (run.closing(path) for path in goal.evidence)
    thrown = trash.names("Conversation")
    subjects = [letter.subject for letter in goal.letters]
    yield "starred the latest", inbox.item("Conversation", name=goal.letter.subject, starred="1") is not None
    yield "threw the second latest away", subjects[0] in thrown
    yield "threw the oldest away", subjects[-1] in thrown
    yield "threw all but the latest away", thrown >= set(subjects)


@checks("mail/template-for-two")
def template_for_two(run: Run, goal: Goal) -> Checks:
    """Add a template, delete another, and send two mails made from the new one."""
    templates, mail_pages = run.closing("/templates"), [run.closing(path) for path in goal.evidence[1:]]
    template = templates.item("CreativeWork", name=goal.template.name)
    yield "added the template", template is not None and template["headline"] == goal.template.title
    yield "with its text", template is not None and template["text"] == goal.template.text
    deleted = templates.item("CreativeWork", name=goal.old.name) is None
    yield "deleted the old one", bool(run.removed("template")) and deleted
    for which, person in (("first", goal.one), ("second", goal.two)):
        # In any order.
        person_pages = [page for page in mail_pages if page.item("EmailMessage", toRecipient=person.email) is not None]
        with_text = [page for page in person_pages if page.item("EmailMessage", text=goal.template.text) is not None]
        with_subject = [
            page for page in person_pages if page.item("Conversation", name=goal.template.title) is not None
        ]
        yield f"wrote to the {which}", bool(with_text)
        yield f"with the subject to the {which}", bool(with_subject)


@checks("mail/add-the-sender")
def add_the_sender(run: Run, goal: Goal) -> Checks:
    """Add who wrote a mail to the contacts."""
    person = run.closing("/contacts").item("Person", name=goal.letter.name)
    yield "added the contact", person is not None
    yield "with the address", person is not None and person["email"] == goal.letter.email
    yield "with the phone number", person is not None and person["telephone"] == goal.letter.phone
    yield "left the other fields empty", person is not None and not (person["worksFor"] or person["description"])


@checks("mail/send-next-week")
def send_next_week(run: Run, goal: Goal) -> Checks:
    """Prepare a mail for a day of next week."""
    return planned_mail(run, "/scheduled/{made.id}", goal.mail, goal.contact, goal.day, goal.time)


@checks("mail/clear-a-day")
def clear_a_day(run: Run, goal: Goal) -> Checks:
    """Cancel a scheduled mail, postpone another, and prepare a third."""
    scheduled = run.closing("/scheduled")
    later_mail = scheduled.item("EmailMessage", name=goal.later.subject)
    # `later_mail`, because a cancelled mail is not on an empty page either.
    yield (
        "cancelled the earlier",
        later_mail is not None and scheduled.item("EmailMessage", name=goal.first.subject) is None,
    )
    postponed = later_mail is not None and later_mail["sendDay"] == goal.other.id
    yield "postponed the later", postponed
    yield "at the same time of day", later_mail is not None and postponed and later_mail["sendTime"] == goal.later.time
    yield from planned_mail(run, "/scheduled", goal.mail, goal.contact, goal.day, goal.first.time)


@checks("mail/go-on-holiday")
def go_on_holiday(run: Run, goal: Goal) -> Checks:
    """Switch the automatic reply on, and set signature and spacing."""
    general, signature, reply = (run.closing(path).item("Thing") for path in goal.evidence)
    yield "switched the reply on", reply is not None and reply["away"] == "1"
    yield "for the days away", reply is not None and reply.reads({"startDate": goal.first.id, "endDate": goal.last.id})
    yield "with its text", reply is not None and reply["text"] == goal.answer.text
    yield "set the signature", signature is not None and signature["signature"] == goal.note.text
    yield "set the spacing", general is not None and general["density"] == goal.density.name


@checks("mail/file-a-correspondence")
def file_a_correspondence(run: Run, goal: Goal) -> Checks:
    """Create a label, put it on the conversations of a sender, and archive them."""
    label = run.closing("/labels").item("DefinedTerm", name=goal.new.name)
    tagged = run.closing(goal.evidence[0]).names("Conversation")
    subjects = [letter.subject for letter in goal.letters]
    archived = {after.id for _, after in run.altered("thread") if after.folder == "archive"}
    yield "created the label", label is not None
    yield "with the colour", label is not None and label["color"] == goal.colour.name
    yield "labelled the newest", subjects[0] in tagged
    yield "labelled all of them", tagged >= set(subjects)
    yield "archived all of them", archived >= {letter.id for letter in goal.letters}


@checks("mail/hand-over")
def hand_over(run: Run, goal: Goal) -> Checks:
    """Forward all conversations of a sender."""
    passed_on = run.closing("/sent").names("EmailMessage", toRecipient=goal.contact.email)
    subjects = [f"Fwd: {letter.subject}" for letter in goal.letters]
    yield "forwarded the newest", subjects[0] in passed_on
    yield "forwarded the oldest", subjects[-1] in passed_on
    yield "forwarded all of them", passed_on >= set(subjects)
    forwards = [row for row in run.added("message") if row.quotes in {letter.last for letter in goal.letters}]
    yield "without a note", bool(forwards) and not any(row.body for row in forwards)
