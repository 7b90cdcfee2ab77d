"""One request to a site: the values that templates read, and the changes that actions make."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from datetime import date
from functools import reduce
from types import MappingProxyType
from typing import Any, Protocol

from werkzeug.datastructures import FileStorage, MultiDict

from stressweb.core.entity import Entity
from stressweb.core.templates import Bound, Scalar, fill
from stressweb.sites.kit.data.tables import Tables
from stressweb.sites.kit.look.theme import Look
from stressweb.sites.kit.refusals import MissingError, RefusedError
from stressweb.sites.kit.serving.forms import Entry, Form, accept, entered, without_controls
from stressweb.sites.kit.serving.session import VisitorSession
from stressweb.sites.kit.serving.world import KitWorld
from stressweb.sites.kit.spec.conditions import follow, holds
from stressweb.sites.kit.spec.entities import Source
from stressweb.sites.kit.spec.fields import Answers, Field
from stressweb.sites.kit.spec.site import ActionSpec, Frame, PageSpec, SiteSpec
from stressweb.sites.kit.spec.widgets import Rows
from stressweb.sites.kit.wording import dates

type Sent = MultiDict[str, str]
type Files = MultiDict[str, FileStorage]

# Browsers treat `//host` as another site, read a backslash as a slash, and ignore tabs and line breaks.
_OWN = re.compile(r"/(?![/\\])[^\x00-\x1f]*")


def own_path(text: str) -> str:
    """Return `text` if it is a path of this site; return `/` if it may lead to another site."""
    return text if _OWN.fullmatch(text) else "/"


def with_first_name(person: Entity) -> Entity:
    """Return a person with `first`, the name to greet them by: the column, or else the first word of the name."""
    return Entity({"first": str(person.get("name", "")).partition(" ")[0], **person})


class Words(Protocol):
    """A part that shows a text."""

    @property
    def text(self) -> str:
        """Template of the text."""

    @property
    def day(self) -> bool:
        """Whether the text is a date, to be shown in words."""

    @property
    def moment(self) -> bool:
        """Whether the text is a moment, to be shown relative to today where possible."""

    @property
    def word(self) -> bool:
        """Whether the text is a label key, whose wording is shown."""


class Visit:
    """The context of one request; functions of the site's logic get it as their only argument."""

    def __init__(
        self, world: KitWorld, store: Tables, session: VisitorSession, here: str, args: Mapping[str, str]
    ) -> None:
        """Take the world, the episode's store, the visitor's session, the path with its query, and the parsed query."""
        self.world, self.store, self.session, self.here, self.args = world, store, session, here, args
        self.messages: list[tuple[str, str]] = []
        self.scripts: set[str] = set()
        self.ids = Counter[str]()
        self.has_main_button = False
        self.refused: dict[str, Any] = {}
        self.values: dict[str, Any] = {}
        self.names: dict[str, Any] = {"label": Entity(world.labels), "look": world.look, "args": args, "here": here}
        self.refresh()

    @property
    def spec(self) -> SiteSpec:
        """The spec of the site."""
        return self.world.spec

    @property
    def look(self) -> Look:
        """The look of the world."""
        return self.world.look

    @property
    def frame(self) -> Frame:
        """The frame around every page of the site."""
        return self.spec.frame

    def refresh(self) -> None:
        """Reload the signed-in person and the time, for example after a sign-in."""
        # Read the row each time, because the previous action may have changed the account.
        people = self.spec.people
        person = self.store.one(people.entity, self.session.person) if people and self.session.person else None
        person = person and with_first_name(person)
        self.names |= {"me": person, "owner": self.session.owner, "now": (now := self.store.now), "clock": now[11:]}

    def collect(self) -> None:
        """Take the messages and the refused form that the last action left for this page from the session."""
        # Only pages call this: an action redirects to the next page, which shows them.
        self.messages = self.session.take("messages", [])
        self.refused = self.session.take("refused", {})

    def enter(self, page: PageSpec, **route: str) -> bool:
        """Load the rows of a page; return whether the page exists."""
        self.names |= route
        for name, source in page.rows.items():
            self.names[name] = next(iter(self.rows(source, self.names)), None)
            if self.names[name] is None:
                return False
        if page.moves_on:
            source = page.rows[page.moves_on]
            self.store.move_on(source.of, self.names[page.moves_on].id)
            # Reload the row, because the load function and the widgets show its new stage.
            self.names[page.moves_on] = next(iter(self.rows(source, self.names)))
        if page.load:
            try:
                self.names |= self.world.logic(page.load)(self) or {}
            except MissingError:
                return False
        return True

    def rows(self, source: Source | None, names: Mapping[str, Any]) -> list[Entity]:
        """Return the rows that a source selects; none without a source."""
        return self.completed(source, self.store.rows(source, names)) if source else []

    def completed(self, source: Source, rows: list[Entity]) -> list[Entity]:
        """Return the rows of a source with the columns that its functions add."""
        return reduce(lambda done, name: self.world.adder(name)(self, done), source.adds, rows)

    def listed(self, shows: Rows, names: Mapping[str, Any]) -> list[Entity]:
        """Return the rows that a widget or a part shows."""
        if shows.source is not None:
            return self.rows(shows.source, names)
        rows: list[Entity] = follow(shows.row, names)
        return rows

    def say(self, label: str, names: Mapping[str, Any] | None = None) -> str:
        """Return the wording of a label, with its template filled in."""
        return fill(self.world.labels[label], self.names if names is None else names)

    def fill(self, template: str, names: Mapping[str, Any]) -> str:
        """Fill in a template."""
        return fill(template, names)

    def shown(self, part: Words, names: Mapping[str, Any]) -> str:
        """Return the text of a part; for a label key, its wording in this world."""
        text = fill(part.text, names)
        if part.day:
            return self.date(text)
        if part.moment:
            return self.past(text)
        return self.world.labels[text] if part.word else text

    def date(self, text: str) -> str:
        """Return a day such as 2025-01-31 in words."""
        return dates.say(self.look.dates, date.fromisoformat(text))

    def past(self, moment: str) -> str:
        """Return a moment such as 2025-01-31 09:30:00, or a day, in words: `Today, 09:30`, `Yesterday`, or a date."""
        return dates.past(self.look.dates, moment, self.today)

    def plain_date(self, text: str) -> str:
        """Return a day such as 2025-01-31 in words, without its weekday."""
        return dates.plain(self.look.dates, date.fromisoformat(text))

    @property
    def today(self) -> str:
        """The day of the site's time, as 2025-01-31."""
        return str(self.names["now"])[:10]

    def holds(self, condition: str, names: Mapping[str, Any]) -> bool:
        """Return whether a condition holds; an empty condition always holds."""
        return holds(condition, names)

    def money(self, path: str, names: Mapping[str, Any]) -> tuple[str, str]:
        """Return the amount at a path as shown on the page, and as a plain number."""
        cents = int(follow(path, names))
        return self.look.money(cents), f"{cents // 100}.{cents % 100:02d}"

    def form(
        self, action: str, send: Mapping[str, str], names: Mapping[str, Any], other_actions: Collection[str] = ()
    ) -> Form:
        """Return a form for an action; if it was just refused, with the entered texts and the problems.

        `other_actions` are the actions of other buttons of the same form; their texts and problems are kept, too.
        """
        spec = self.spec.actions[action]
        filled = {name: fill(value, names) for name, value in send.items()}
        # A page may have the same form for each of many rows; the entered texts belong to the form with the same hidden
        # fields.
        refused = self.refused if self.refused.get("action") == action and _is_of(self.refused, filled) else {}
        if not refused and self.refused.get("action") in other_actions:
            refused = {**self.refused, "values": {**self.refused["values"], **self.refused.get("beside", {})}}
        # An id must not contain spaces, and slashes and at signs would have to be escaped in selectors.
        identity = "-".join((action, *filled.values())).replace("/", "-").replace("@", "-").replace(" ", "-")
        fields = tuple(self._fields(spec, filled, refused, {**self._rows_of_form(spec, filled, names), **names}))
        hidden = {"csrf_token": self.session.token, "back": self.here, **filled}
        return Form(action, spec.path, hidden, fields, identity)

    def fields(
        self, fields: Mapping[str, Field], names: Mapping[str, Any], refused: Mapping[str, Any] = MappingProxyType({})
    ) -> list[Entry]:
        """Return fields for display in a form without an action; `refused` has the entered texts and the problems."""
        return [self._field(name, field, refused, names) for name, field in fields.items()]

    def _rows_of_form(
        self, spec: ActionSpec, send: Mapping[str, str], names: Mapping[str, Any]
    ) -> dict[str, Entity | None]:
        """Return the rows that a form is about, by field name, unless the page has them under these names already."""
        hidden = {name: getattr(field, "row", None) for name, field in spec.fields.items() if field.hidden}
        # A form without visible fields has no choices that could depend on a row.
        rows = hidden if len(hidden) < len(spec.fields) else {}
        return {
            name: self.store.one(row, send[name]) for name, row in rows.items() if row and name in send.keys() - names
        }

    def _fields(
        self, spec: ActionSpec, send: Mapping[str, str], refused: Mapping[str, Any], names: Mapping[str, Any]
    ) -> Iterator[Entry]:
        for name, field in spec.fields.items():
            if name not in send and not field.hidden:
                yield self._field(name, field, refused, names)

    def _field(self, name: str, field: Field, refused: Mapping[str, Any], names: Mapping[str, Any]) -> Entry:
        typed = refused.get("values", {}).get(name, field.unsent(names) if refused else field.first(names))
        label = self.say(field.label) if field.label else ""
        return Entry(name, field, label, typed, field.view(self, names), self.problems(refused).get(name, ""))

    def problems(self, refused: Mapping[str, Any]) -> dict[str, str]:
        """Return the problems of a refused form in words, by field."""
        words = refused.get("words", {})
        labels_by_field: Mapping[str, str] = refused.get("wrong", {})
        return {name: self.say(label, {**self.names, **words.get(name, {})}) for name, label in labels_by_field.items()}

    def complaints(self) -> list[str]:
        """Return the problems of a refused form, each with the label of its field."""
        problems = self.problems(self.refused)
        fields = self.spec.actions[self.refused["action"]].fields if problems else {}
        labels = {name: self.say(fields[name].label) for name in problems if fields[name].label}
        return [f"{labels[name]}: {text}" if name in labels else text for name, text in problems.items()]

    def act(self, name: str, action: ActionSpec, texts: Sent, files: Files) -> str:
        """Perform an action with the submitted form; return the next path. Always adds one line to the event log."""
        texts = without_controls(texts)
        answers = Answers(texts, files, self.store, self.names, self.session.owner)
        values, refusals = accept(action.fields, answers)
        labels_by_field = {field: refusal.label for field, refusal in refusals.items()}
        reason = next(iter(labels_by_field.values()), "")
        # A form can send anything.
        self.names["back"] = back = own_path(texts.get("back", "/"))
        if not labels_by_field:
            self.values = values
            self.names |= values
            try:
                self._allow(action)
                # Changes are not undone if an operation refuses, so in a spec, calls that may refuse must come before
                # operations that write.
                self._operate(action)
            except RefusedError as refusal:
                reason, refusals = refusal.label, {refusal.field: refusal} if refusal.field else {}
                labels_by_field = dict.fromkeys(refusals, reason)
        sent = entered(action.fields, answers)
        # Log after the operations, so that the owner of a sign-in is the new person; checkpoints rely on that.
        self.store.log(name, {"by": self.session.owner, "done": not reason, "sent": sent})
        # The message may use the person's name, and the log has advanced the time.
        self.refresh()
        if reason:
            # Hidden fields identify which row's form was refused; `form` compares them.
            send = {field: text for field, text in sent.items() if action.fields[field].hidden}
            typed = {field: text for field, text in sent.items() if field not in send}
            words = {field: dict(refusal.words) for field, refusal in refusals.items() if refusal.words}
            reasons = {"wrong": labels_by_field, **({"words": words} if words else {})}
            if other_texts := self._other_texts(action, texts):
                reasons["beside"] = other_texts
            self.session.notes["refused"] = {"action": name, "send": send, "values": typed, **reasons}
            self.session.say(self.say("error_form" if labels_by_field else reason), "danger")
            return back
        if action.flash:
            self.session.say(self.say(action.flash))
        return fill(action.then, self.names)

    def _other_texts(self, action: ActionSpec, texts: Sent) -> dict[str, str]:
        """Return the submitted texts for the actions of the form's other buttons, without secrets."""
        known = (item for action_spec in self.spec.actions.values() for item in action_spec.fields.items())
        names = {name for name, field in known if not (field.secret or field.hidden or field.many)}
        return {name: text for name, text in texts.items() if name in names - action.fields.keys()}

    def _allow(self, action: ActionSpec) -> None:
        for label, condition in action.allow_when.items():
            if not holds(condition, self.names):
                raise RefusedError(label)

    def _operate(self, action: ActionSpec) -> None:
        """Perform the operations in order; each can use the `names` that earlier ones set."""
        for operation in action.do:
            values = {column: self._value(text) for column, text in operation.values.items()}
            criteria = {name: self._scalar(value) for name, value in operation.where.items()}
            if operation.call is not None:
                self.names |= self.world.logic(operation.call)(self) or {}
            elif operation.insert is not None:
                self.names["made"] = self._insert(action, operation.insert, values)
            elif operation.update is not None:
                for row in self.store.where(operation.update, criteria):
                    self._refuse_twins(action, operation.update, {**row, **values}, row.id)
                self.store.change(operation.update, criteria, values)
            elif operation.delete is not None:
                self.store.drop(operation.delete, criteria)

    def _insert(self, action: ActionSpec, entity: str, values: dict[str, Any]) -> Entity:
        """Add a row and return it; fill in the key, the owner and missing columns."""
        spec = self.spec.entities[entity]
        if spec.owner:
            values.setdefault(spec.owner, self.session.owner)
        self._refuse_twins(action, entity, values, str(values.get("id", "")))
        if "id" not in values:
            values["id"] = self.store.free_key(entity, values)
            # Set every column, because tasks state all columns of an added row.
            values = dict.fromkeys(spec.stored, "") | values
        self.store.put(entity, values)
        return Entity(values)

    def _refuse_twins(self, action: ActionSpec, entity: str, values: Mapping[str, Any], own: str) -> None:
        """Refuse a row whose value in a unique column equals another row's, ignoring case."""
        spec = self.spec.entities[entity]
        mine = {spec.owner: values[spec.owner]} if spec.owner else {}
        for column in spec.unique:
            text = str(values[column]).casefold()
            rows = (row for row in self.store.where(entity, mine) if row.id != own)
            if any(str(row[column]).casefold() == text for row in rows):
                raise RefusedError("error_unique", _field_of(action, column))

    def _value(self, template: Scalar) -> Any:
        """Fill in a template; a single path keeps its type, and a value that is not a string is returned unchanged."""
        if not isinstance(template, str):
            return template
        bare = template[1:-1]
        # Filling in would turn a number into text; a template with several parts is always text.
        return follow(bare, self.names) if template == f"{{{bare}}}" and "{" not in bare else fill(template, self.names)

    def _scalar(self, value: Scalar | Bound) -> Scalar:
        if isinstance(value, Bound):
            raise TypeError("an operation supports equality only")
        return fill(value, self.names)


def _is_of(refused: Mapping[str, Any], send: Mapping[str, str]) -> bool:
    """Return whether a refused form had these values in its hidden fields."""
    sent = {**refused["values"], **refused["send"]}
    # A form may also send fields that are visible in other forms, such as its one row in place of ticked rows.
    return refused["send"].keys() <= send.keys() and all(
        sent.get(name) in (text, [text]) for name, text in send.items()
    )


def _field_of(action: ActionSpec, column: str) -> str:
    """Return the field of an action whose value goes into a column; empty if there is none."""
    for operation in action.do:
        if operation.values.get(column) in {f"{{{name}}}" for name in action.fields}:
            return str(operation.values[column])[1:-1]
    return ""
