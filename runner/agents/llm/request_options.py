"""Options of a request to a model, without those that the server has refused."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from stressweb.plugins import actions
from stressweb.runner.agents.llm.prompt import KINDS, Message, schema
from stressweb.runner.agents.llm.refusal import Kind, Refusal

Form = Literal["schema", "object", "text"]
"""Requested form of an answer: by JSON schema, any JSON object, or plain text."""
LEAST = 1000
"""Minimum number of characters to which a page may be cut."""

_LESS: Mapping[Form, Form] = {"schema": "object", "object": "text"}
_ALL = ("form", "screenshots", "max_tokens", "temperature", "seed", "system", "parts")
"""All parts that can be left out; in this order if the server names none."""
_ABOUT: Mapping[Kind, Sequence[str]] = {
    "schema": ("form",),
    "picture": ("screenshots",),
    "text": ("screenshots", "parts"),
    "role": ("system",),
}
"""The parts to leave out for a kind of refusal."""


class Overlong(Exception):  # noqa: N818 - the agent's outcome, not an error
    """A question does not fit the model even with the shortest page."""


@dataclass
class RequestOptions:
    """Request options within an episode; parts that the server refuses are left out from then on."""

    form: Form = "schema"
    kinds: tuple[actions.Kind, ...] = KINDS
    """Allowed kinds of action."""
    pictures: bool = True
    temperature: float | None = 0.0
    seed: int | None = None
    max_tokens: int | None = None
    limit: str = "max_tokens"
    """Name of the parameter that limits an answer; some servers call it `max_completion_tokens`."""
    budget: int = 250_000
    """Maximum number of characters of the page."""
    system: bool = True
    """Whether the instructions are a system message; else they begin the first user message."""
    parts: bool = True
    """Whether a message is a list of parts; else it is a single text."""
    dropped: list[str] = field(default_factory=list)
    """Parts left out so far, in order."""

    def arguments(self) -> dict[str, Any]:
        """Return the options as arguments of a request."""
        options = {
            "response_format": self._format(),
            "temperature": self.temperature,
            "seed": self.seed,
            self.limit: self.max_tokens,
        }
        return {name: option_value for name, option_value in options.items() if option_value is not None}

    def _format(self) -> Any:
        match self.form:
            case "schema":
                return {"type": "json_schema", "json_schema": {"name": "action", "schema": schema(self.kinds)}}
            case "object":
                return {"type": "json_object"}
        return None

    def shaped(self, messages: Sequence[Message]) -> list[Message]:
        """Return messages in the form that the server accepts."""
        shaped_messages = list(messages)
        if not self.system and len(shaped_messages) > 1 and shaped_messages[0]["role"] == "system":
            instructions, first, *rest = shaped_messages
            shaped_messages = [
                {**first, "content": [*_parts(instructions["content"]), *_parts(first["content"])]},
                *rest,
            ]
        return (
            shaped_messages
            if self.parts
            else [{**message, "content": _text_of(message["content"])} for message in shaped_messages]
        )

    def leave_out(self, refusal: Refusal, *, pictured: bool, characters: int) -> bool:
        """Leave out the part that a refusal is about; return whether there was one.

        `pictured`: the request had pictures; `characters`: the length of its longest text. If the refusal names no part
        of the request, the first part in it is left out, unless the server may have failed for another reason. Raises
        Overlong if the page cannot be cut further.
        """
        if refusal.kind == "context":
            return self._shorten(refusal, pictured=pictured, characters=characters)
        named = refusal.params or _ABOUT.get(refusal.kind, ())
        vague = refusal.kind in ("request", "parameter", *_ABOUT) and (refusal.status or 0) < 500
        present = self._present_parts(pictured)
        part = next((name for name in (*named, *(_ALL if vague else ())) if present[name]), None)
        if part is None:
            return False
        self.dropped.append(self._drop(part))
        return True

    def _present_parts(self, pictured: bool) -> Mapping[str, bool]:
        return {
            "form": self.form != "text",
            "screenshots": pictured,
            "max_tokens": self.max_tokens is not None,
            "temperature": self.temperature is not None,
            "seed": self.seed is not None,
            "system": self.system,
            "parts": self.parts and not pictured,
        }

    def _shorten(self, refusal: Refusal, *, pictured: bool, characters: int) -> bool:
        if self.budget > LEAST:
            # Halved, since servers report in no common way by how much a question is too long. Half of the sent page,
            # since most pages are shorter than the budget.
            self.budget = max(LEAST, min(self.budget, characters) // 2)
            self.dropped.append(f"page beyond {self.budget} characters")
            return True
        if pictured:
            # Pictures take tokens too, and many more bytes than a page.
            self.dropped.append(self._drop("screenshots"))
            return True
        if refusal.markup:
            # Not the model's limit: a web server in front of it refuses requests of this size.
            return False
        raise Overlong(
            f"the request exceeds the model's context length, even with {self.budget} characters of the page"
        )

    def _drop(self, name: str) -> str:
        """Leave out a part and return its description."""
        match name:
            case "form":
                refused_form, self.form = self.form, _LESS[self.form]
                return f"response_format {refused_form}"
            case "screenshots":
                self.pictures = False
            case "max_tokens":
                name = self.limit
                # First try its other name, then leave it out.
                if self.limit == "max_tokens":
                    self.limit = "max_completion_tokens"
                else:
                    self.max_tokens = None
            case "temperature":
                self.temperature = None
            case "system":
                self.system = False
                return "system role"
            case "parts":
                self.parts = False
                return "content in parts"
            case _:
                self.seed = None
        return name


def _parts(content: Any) -> list[Any]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def _text_of(content: Any) -> str:
    return "\n\n".join(part["text"] for part in _parts(content) if "text" in part)
