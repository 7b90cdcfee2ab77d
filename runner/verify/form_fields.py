"""Fields of forms, and values for them: values to accept, values to refuse, and odd values."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from io import BytesIO
from typing import Any

from lxml.html import HtmlElement

from stressweb.html.accessible_name import Names
from stressweb.walking.submission import submission
from stressweb.walking.xpath import elements, strings

PROBE = "probe-12345"
"""Id of an element that appears on a page if the site treats typed text as markup."""
ODD_TEXTS = (
    f"<b id='{PROBE}'>bold</b>", f"\"><b id='{PROBE}'>", "Zoë Ångström 漢字 😀", "\u202eright to left",
    "nul\x00 bell\x07", "{me.password} {0} {", "'; DROP TABLE event; --", "-17", "two\nlines", "%s %d &amp; \\",
)  # fmt: skip
"""Texts that a field may accept or refuse, but that must never break a page."""
_LARGE = "large"
BEYOND = 50
"""Characters beyond the limit in a text that is too long."""
_TEXTS = ("Quiet corner 7", "Quiet corner", "1234", "04/31", "secret-77", "AB-1234", "7")
"""Ordinary texts; a field with a pattern gets the first matching one."""
_BY_KIND: Mapping[str, tuple[str, ...]] = {
    "email": ("somebody.else@post.test",), "tel": ("555-09-1234",), "password": ("another-secret-1",),
    "time": ("11:05", "18:30"),
}  # fmt: skip
_WRONG: Mapping[str, tuple[str, ...]] = {
    "email": ("nobody", "a b@post.test"), "tel": ("call me",), "time": ("25:00", "half past nine"),
    "date": ("2025-02-30", "tomorrow", "0000-00-00"), "choice": ("no-such-option",), "rows": ("no-such-row",),
    "named": ("Nobody of this name 12345",), "lines": ("x" + " | x" * 30,),
    "number": ("several", "1.5", "1e3", "9" * 12),
}  # fmt: skip
"""Values that every field of a kind must refuse."""


@dataclass(frozen=True)
class FormField:
    """A field of a form on a page, with further properties from the site's spec."""

    name: str
    label: str
    kind: str
    """text, email, tel, password, number, date, time, choice, rows, flag, named, lines or file."""
    value: tuple[str, ...] = ()
    """Its current values."""
    options: tuple[str, ...] = ()
    required: bool = False
    low: int | None = None
    high: int | None = None
    first_day: str = ""
    length: int | None = None
    """Maximum number of characters; None if unknown."""
    pattern: str | None = None
    secret: bool = False
    is_used: bool = True
    """Whether the action uses it; a form with several buttons also has fields of other actions."""

    def right(self, known: Mapping[str, Sequence[str]], turn: int = 0) -> tuple[str, ...]:
        """Return values that the field must accept; `known` are values of the tasks, by label.

        Each `turn` chooses another option.
        """
        if self.kind in ("choice", "rows"):
            # Without the current option, because a site may refuse a change without effect.
            others = [option for option in self.options if option and option not in self.value]
            return (others[-1 - turn % len(others)],) if others else self.value
        if self.kind == "file":
            return (f"notes.{(*self.options, 'txt')[0]}",)
        if self.kind == "flag":
            return self.options if self.required or not self.value else ()
        texts = [text for text in (*known.get(self.label, ()), *self._ordinary()) if self._fits(text)]
        return tuple(texts[:1])

    def wrong(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield values that must be refused, each with a description."""
        if self.required and self.kind != "choice":
            # A browser sends an empty text field, but not an unticked checkbox.
            yield "nothing", () if self.kind in ("flag", "rows", "file") else ("",)
        if self.required and self.kind not in ("choice", "rows", "flag", "file"):
            yield "blanks alone", ("   ",)
        for text in _WRONG.get(self.kind, ()):
            yield f"{text!r}", (text,)
        if self.kind == "number":
            bounds = [
                (self.low - 1) if self.low is not None else -1,
                *([self.high + 1] if self.high is not None else []),
            ]
            yield from ((f"{bound}", (str(bound),)) for bound in bounds)
        if self.first_day:
            yield "a past day", ((date.fromisoformat(self.first_day) - timedelta(days=1)).isoformat(),)
        if self.kind == "file":
            yield from ((f"{name!r}", (name,)) for name in (["program.exe"] if self.options else []))
            yield from (
                (f"{name!r}", (name,)) for name in ([f"{_LARGE}.{(*self.options, 'txt')[0]}"] if self.length else [])
            )
        if self.pattern is not None and not re.fullmatch(self.pattern, "☃"):
            yield "'☃'", ("☃",)
        if self.length is not None and self.kind in ("text", "email", "tel", "password"):
            yield f"{self.length + BEYOND} characters", ("x" * (self.length + BEYOND),)

    def file(self, name: str) -> tuple[BytesIO, str]:
        """Return a file as a form sends it; a file named `large` exceeds the field's limit."""
        return BytesIO(b"x" * (self.length + 1 if self.length and name.startswith(_LARGE) else 9)), name

    def odd(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield values that may be accepted or refused."""
        if self.kind not in ("flag", "file"):
            few = None if self.kind in ("text", "lines", "named") else 1
            yield from ((f"{text!r}", (text,)) for text in ODD_TEXTS[:few])

    def _ordinary(self) -> Iterator[str]:
        if self.kind == "named":
            yield from self.options[:1]
        elif self.kind == "number":
            yield str(self.low if self.low is not None else min(3, self.high or 3))
        elif self.kind == "date":
            # In the future in every world.
            yield from (self.value[0] if self.value and self.value[0] else "2031-05-05",)
        elif self.kind in _BY_KIND:
            yield from _BY_KIND[self.kind]
        else:
            yield from _TEXTS

    def _fits(self, text: str) -> bool:
        long = self.length is not None and len(text) > self.length
        return bool(text) and not long and (self.pattern is None or bool(re.fullmatch(self.pattern, text)))


def fields_of(form: HtmlElement, spec: Mapping[str, Any], names: Names) -> list[FormField]:
    """Return the fields of a form that a person can fill in; `spec` has the fields in the site's spec, if any."""
    fields: dict[str, FormField] = {}
    for element in elements(form, ".//input[@name] | .//select[@name] | .//textarea[@name]"):
        name, kind = element.get("name") or "", _kind(element)
        if kind != "hidden" and name not in fields:
            fields[name] = _field(form, element, kind, spec, names)
    return [*fields.values()]


def _kind(element: HtmlElement) -> str:
    if element.tag != "input":
        return "choice" if element.tag == "select" else "text"
    input_type = str(element.get("type", "text"))
    if element.get("placeholder") == "hh:mm":
        return "time"
    return {"checkbox": "flag", "radio": "choice", "search": "text", "submit": "hidden"}.get(input_type, input_type)


def _field(
    form: HtmlElement, element: HtmlElement, kind: str, spec_fields: Mapping[str, Any], names: Names
) -> FormField:
    name = element.get("name") or ""
    spec = spec_fields.get(name)
    boxes = elements(form, f".//input[@type='checkbox' or @type='radio'][@name={name!r}]")
    if kind == "flag" and (len(boxes) > 1 or getattr(spec, "many", False)):
        kind = "rows"
    if element.get("data-named"):
        kind = "named"
        options = tuple(strings(form, f".//template[@id={element.get('data-named')!r}]//span/text()"))
    elif getattr(spec, "type", "") == "lines":
        kind, options = "lines", ()
    elif kind == "file":
        options = tuple(getattr(spec, "endings", ()))
    elif kind == "choice" and element.tag == "select":
        options = tuple(option.get("value") or "" for option in element.iter("option"))
    else:
        options = tuple(box.get("value") or "1" for box in boxes)
    current = tuple(current_values(form, name))
    return FormField(
        name=name,
        label=names.name(element),
        kind=kind,
        value=current,
        options=options,
        # A form with several buttons has the marks of its first action; another one may need less.
        required=element.get("required") is not None if spec is None else bool(getattr(spec, "required", False)),
        low=_integer(element.get("min")),
        high=_integer(element.get("max")),
        first_day=(element.get("min") or "") if kind == "date" else "",
        length=getattr(spec, "largest" if kind == "file" else "length", None),
        pattern=getattr(spec, "pattern", None),
        is_used=not spec_fields or name in spec_fields,
        secret=bool(getattr(spec, "secret", kind == "password")),
    )


def _integer(text: str | None) -> int | None:
    return int(text) if text and re.fullmatch(r"-?\d+", text) else None


def current_values(form: HtmlElement, name: str) -> list[str]:
    """Return the current values of a field of a form."""
    return [field_value for key, field_value in submission(form) if key == name]


def errors_at(page: HtmlElement, form: HtmlElement, name: str) -> str:
    """Return the page's error messages about a field of a form; "" if there are none."""
    fields = elements(form, f".//*[@name={name!r}]")
    holders = [*fields, *(fieldset for field in fields for fieldset in field.iterancestors("fieldset"))]
    ids = {f"{token}" for holder in holders for token in (holder.get("aria-describedby") or "").split()}
    errors = (element for element in elements(page, "//*[@id]") if element.get("id") in ids)
    return " ".join(str(element.text_content()).strip() for element in errors)
