"""Forms on pages, and the data that their buttons send."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode, urljoin

from lxml.html import HtmlElement
from werkzeug.datastructures import MultiDict

from stressweb.html.accessible_name import Names
from stressweb.runner.verify.form_fields import FormField, fields_of
from stressweb.walking.walker import Walker
from stressweb.walking.xpath import elements

type Values = dict[str, tuple[str, ...]]
"""Values of a form, by field; a field with several checkboxes has several texts."""


@dataclass(frozen=True)
class FoundForm:
    """A form on a page."""

    url: str
    action: str
    """The path to which it is sent."""
    get: bool
    about: tuple[tuple[str, str], ...]
    """Hidden fields that identify its row."""
    unseen: tuple[tuple[str, str], ...]
    """Other values that it sends: the token, the way back, and the pressed button."""
    fields: tuple[FormField, ...]

    @property
    def kind(self) -> tuple[str, ...]:
        """Key shared by forms that differ only in their row."""
        return (self.action.partition("?")[0], *(field.name for field in self.fields))


def unidentifying(walker: Walker) -> tuple[str, str]:
    """Return the names of hidden fields that do not tell which row a form is about: its token, and the way back."""
    return walker.world.form_token, "back"


def found_forms(walker: Walker, specs: Mapping[str, Any]) -> Iterator[FoundForm]:
    """Yield the forms of a page, one for each action of their buttons."""
    names, seen, unseen_names = Names(walker.page), set[tuple[Any, ...]](), unidentifying(walker)
    for form in elements(walker.page, "//form"):
        hidden = [
            (element.get("name") or "", element.get("value") or "")
            for element in elements(form, ".//input[@type='hidden'][@name]")
        ]
        about = tuple((name, hidden_value) for name, hidden_value in hidden if name not in unseen_names)
        for button in elements(form, ".//button[not(@type) or @type='submit']"):
            action = urljoin(walker.url, button.get("formaction") or form.get("action") or walker.url)
            spec = specs.get(action.partition("?")[0])
            pressed = [(button.get("name") or "", button.get("value") or "")] if button.get("name") else []
            unseen = (*(pair for pair in hidden if pair[0] in unseen_names), *pressed)
            fields = tuple(fields_of(form, spec.fields if spec else {}, names))
            page_form = FoundForm(walker.url, action, (form.get("method") or "get") == "get", about, unseen, fields)
            if (key := (page_form.kind, about)) not in seen:
                seen.add(key)
                yield page_form


def data_of(form: FoundForm, values: Values) -> "MultiDict[str, Any]":
    """Return the data that a form sends with these values."""
    form_data: MultiDict[str, Any] = MultiDict([*form.about, *form.unseen])
    fields = {field.name: field for field in form.fields}
    for name, texts in values.items():
        sent = (fields[name].file(text) for text in texts) if fields[name].kind == "file" else texts
        for sent_value in sent:
            form_data.add(name, sent_value)
    return form_data


def address_of(form: FoundForm, form_data: "MultiDict[str, Any]") -> str:
    """Return the address to which a GET form leads."""
    return f"{form.action.partition('?')[0]}?{urlencode([*form_data.items(multi=True)])}"


def is_same_form(walker: Walker, element: HtmlElement, form: FoundForm) -> bool:
    """Return whether an element of the current page is the form that was sent."""
    sends = {
        urljoin(walker.url, target)
        for target in (element.get("action"), *(b.get("formaction") for b in element.iter("button")))
        if target
    }
    hidden = {
        element.get("name"): element.get("value") or ""
        for element in elements(element, ".//input[@type='hidden'][@name]")
    }
    return form.action in sends and all(hidden.get(name) == hidden_value for name, hidden_value in form.about)
