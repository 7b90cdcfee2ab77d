"""Forms: their fields for display, and the validation of a submitted form."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from werkzeug.datastructures import MultiDict

from stressweb.sites.kit.refusals import RefusedError
from stressweb.sites.kit.spec.fields import Answers, Field

_CONTROLS = dict.fromkeys(code for code in (*range(32), 127) if chr(code) not in "\t\n\r")


@dataclass(frozen=True)
class Entry:
    """A field of a form for display."""

    name: str
    spec: Field
    label: str
    value: Any
    """Its content: a text, or the keys of the ticked rows."""
    it: Any = None
    """Additional values for the template of its kind."""
    error: str = ""


@dataclass(frozen=True)
class Form:
    """A form for display."""

    name: str
    path: str
    hidden: Mapping[str, str]
    fields: tuple[Entry, ...]
    id: str
    """Prefix of the ids of its fields."""

    @property
    def encoding(self) -> str:
        """Value of the `enctype` attribute; empty if the form sends no files."""
        return "multipart/form-data" if any(field.spec.sends_files for field in self.fields) else ""


def without_controls(texts: MultiDict[str, str]) -> MultiDict[str, str]:
    """Return texts without control characters, which a person cannot type and a page cannot show."""
    return MultiDict([(name, text.translate(_CONTROLS)) for name, text in texts.items(multi=True)])


def accept(fields: Mapping[str, Field], answers: Answers) -> tuple[dict[str, Any], dict[str, RefusedError]]:
    """Validate a form; return its values, with rows in place of keys, and the refusals, both by field."""
    values: dict[str, Any] = {}
    refusals: dict[str, RefusedError] = {}
    for name, field in fields.items():
        try:
            # The choices of a field may depend on earlier fields, especially on the row that the form is about.
            values[name] = field.accept(name, replace(answers, names={**answers.names, **values}))
        except RefusedError as refusal:
            refusals[name] = refusal
            if field.hidden:
                break
    return values, refusals


def entered(fields: Mapping[str, Field], answers: Answers) -> dict[str, Any]:
    """Return the entered texts by field, without secrets, because the session and the log are recorded."""
    sent_names = [*answers.texts, *(name for name in answers.files if name not in answers.texts)]
    return {name: fields[name].sent(name, answers) for name in sent_names if name in fields and not fields[name].secret}
