"""Forms: their fields as a page shows them, and what comes of a form that was sent."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from werkzeug.datastructures import MultiDict

from stressweb.sites.kit.refusals import RefusedError
from stressweb.sites.kit.spec.fields import Answers, Field

_CONTROLS = dict.fromkeys(code for code in (*range(32), 127) if chr(code) not in "\t\n\r")


@dataclass(frozen=True)
class Entry:
    """A field as a page shows it."""

    name: str
    spec: Field
    label: str
    value: Any
    """What stands in it: a text, or the keys of the rows that are ticked."""
    it: Any = None
    """What the template of its kind needs besides."""
    error: str = ""


@dataclass(frozen=True)
class Form:
    """A form as a page shows it."""

    name: str
    path: str
    hidden: Mapping[str, str]
    fields: tuple[Entry, ...]
    id: str
    """What the ids of its fields begin with."""

    @property
    def encoding(self) -> str:
        """How it is sent, as HTML names it; nothing where there is no file."""
        return "multipart/form-data" if any(field.spec.sends_files for field in self.fields) else ""


def without_controls(texts: MultiDict[str, str]) -> MultiDict[str, str]:
    """Return texts as a person could have typed them: without control characters, which no page can show again."""
    return MultiDict([(name, text.translate(_CONTROLS)) for name, text in texts.items(multi=True)])


def accept(fields: Mapping[str, Field], answers: Answers) -> tuple[dict[str, Any], dict[str, RefusedError]]:
    """Return the values of a form, rows in place of keys, and what is wrong, by field."""
    values: dict[str, Any] = {}
    wrong: dict[str, RefusedError] = {}
    for name, field in fields.items():
        try:
            # What can be chosen may depend on what was said before it: on the row that the form is about, most of all.
            values[name] = field.accept(name, replace(answers, names={**answers.names, **values}))
        except RefusedError as refusal:
            wrong[name] = refusal
            if field.hidden:
                break
    return values, wrong


def entered(fields: Mapping[str, Field], answers: Answers) -> dict[str, Any]:
    """Return what was entered, by field; without secrets, because session and log, where it goes, are recorded."""
    sent_names = [*answers.texts, *(name for name in answers.files if name not in answers.texts)]
    return {name: fields[name].sent(name, answers) for name in sent_names if name in fields and not fields[name].secret}
