"""Forms as they stand on pages, and what is sent when one of their buttons is pressed."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode, urljoin

from lxml.html import HtmlElement
from werkzeug.datastructures import MultiDict

from runner.verify.form_fields import FormField, fields_of
from stressweb.html.accessible_name import Names
from stressweb.walking.walker import Walker
from stressweb.walking.xpath import elements

_UNSEEN = ("csrf_token", "back")

type Values = dict[str, tuple[str, ...]]
"""What is typed into a form, by field; a field with several boxes has several texts."""


@dataclass(frozen=True)
class FoundForm:
    """A form as it stands on a page."""

    url: str
    action: str
    """Path that it is sent to."""
    get: bool
    about: tuple[tuple[str, str], ...]
    """The hidden fields that say which row it is about."""
    unseen: tuple[tuple[str, str], ...]
    """What else it sends: the token, the way back, and the button that is pressed."""
    fields: tuple[FormField, ...]

    @property
    def kind(self) -> tuple[str, ...]:
        """What forms have in common that differ only in what they are about."""
        return (self.action.partition("?")[0], *(field.name for field in self.fields))


def found_forms(at: Walker, specs: Mapping[str, Any]) -> Iterator[FoundForm]:
    """Yield the forms of a page, one for each action that a button of theirs can send."""
    names, seen = Names(at.page), set[tuple[Any, ...]]()
    for form in elements(at.page, "//form"):
        hidden = [
            (one.get("name") or "", one.get("value") or "") for one in elements(form, ".//input[@type='hidden'][@name]")
        ]
        about = tuple((name, value) for name, value in hidden if name not in _UNSEEN)
        for button in elements(form, ".//button[not(@type) or @type='submit']"):
            action = urljoin(at.url, button.get("formaction") or form.get("action") or at.url)
            spec = specs.get(action.partition("?")[0])
            pressed = [(button.get("name") or "", button.get("value") or "")] if button.get("name") else []
            unseen = (*(pair for pair in hidden if pair[0] in _UNSEEN), *pressed)
            fields = tuple(fields_of(form, spec.fields if spec else {}, names))
            found = FoundForm(at.url, action, (form.get("method") or "get") == "get", about, unseen, fields)
            if (key := (found.kind, about)) not in seen:
                seen.add(key)
                yield found


def data_of(form: FoundForm, values: Values) -> "MultiDict[str, Any]":
    """Return what a form sends with values typed in."""
    data: MultiDict[str, Any] = MultiDict([*form.about, *form.unseen])
    fields = {field.name: field for field in form.fields}
    for name, texts in values.items():
        sent = (fields[name].file(text) for text in texts) if fields[name].kind == "file" else texts
        for one in sent:
            data.add(name, one)
    return data


def address_of(form: FoundForm, data: "MultiDict[str, Any]") -> str:
    """Return the address that a form leads to which asks for a page."""
    return f"{form.action.partition('?')[0]}?{urlencode([*data.items(multi=True)])}"


def is_again(at: Walker, element: HtmlElement, form: FoundForm) -> bool:
    """Return whether a form of a page is the one that was sent."""
    sends = {
        urljoin(at.url, one)
        for one in (element.get("action"), *(b.get("formaction") for b in element.iter("button")))
        if one
    }
    hidden = {one.get("name"): one.get("value") or "" for one in elements(element, ".//input[@type='hidden'][@name]")}
    return form.action in sends and all(hidden.get(name) == value for name, value in form.about)
