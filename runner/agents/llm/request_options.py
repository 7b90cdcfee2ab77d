"""What a request to a model carries beside the words, and what is left of it once a server has refused a part."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from runner.agents.llm.prompt import KINDS, Message, schema
from runner.agents.llm.refusal import Kind, Refusal
from stressweb.plugins import actions

Form = Literal["schema", "object", "text"]
"""How an answer is asked for: by JSON schema, as any JSON object, or as plain text."""
LEAST = 1000
"""Characters of a page below which it is not cut any more."""

_LESS: Mapping[Form, Form] = {"schema": "object", "object": "text"}
_ALL = ("form", "screenshots", "max_tokens", "temperature", "seed", "system", "parts")
"""Every part that can be left out, in the order in which they are where a server names none."""
_ABOUT: Mapping[Kind, Sequence[str]] = {
    "schema": ("form",),
    "picture": ("screenshots",),
    "text": ("screenshots", "parts"),
    "role": ("system",),
}
"""Which parts a kind of refusal is about."""


class Overlong(Exception):  # noqa: N818 - an outcome of the agent, which has too much to say
    """A question does not fit the model, however much of the page is cut."""


@dataclass
class RequestOptions:
    """What is offered to one server in one episode; what it refuses is left out from then on."""

    form: Form = "schema"
    kinds: tuple[actions.Kind, ...] = KINDS
    """The kinds of action that an answer may be."""
    pictures: bool = True
    temperature: float | None = 0.0
    seed: int | None = None
    max_tokens: int | None = None
    limit: str = "max_tokens"
    """Name of the limit of an answer, which some servers call `max_completion_tokens`."""
    budget: int = 250_000
    """Characters of the page that are shown."""
    system: bool = True
    """Whether the instructions are a message of their own; else they begin the first one of the user."""
    parts: bool = True
    """Whether a message is a list of parts; else it is one text."""
    dropped: list[str] = field(default_factory=list)
    """What was left out, in order."""

    def arguments(self) -> dict[str, Any]:
        """Return the offer as arguments of a request."""
        given = {
            "response_format": self._format(),
            "temperature": self.temperature,
            "seed": self.seed,
            self.limit: self.max_tokens,
        }
        return {name: value for name, value in given.items() if value is not None}

    def _format(self) -> Any:
        match self.form:
            case "schema":
                return {"type": "json_schema", "json_schema": {"name": "action", "schema": schema(self.kinds)}}
            case "object":
                return {"type": "json_object"}
        return None

    def shaped(self, messages: Sequence[Message]) -> list[Message]:
        """Return messages as the server takes them."""
        found = list(messages)
        if not self.system and len(found) > 1 and found[0]["role"] == "system":
            instructions, first, *rest = found
            found = [{**first, "content": [*_parts(instructions["content"]), *_parts(first["content"])]}, *rest]
        return found if self.parts else [{**one, "content": _joined(one["content"])} for one in found]

    def give_in(self, refusal: Refusal, *, pictured: bool, characters: int) -> bool:
        """Leave out what a refusal is about; return whether there was anything to leave out.

        `pictured` says whether the request had pictures, `characters` how many its longest text has. A refusal that
        names nothing that is there costs the first part that there is, unless the server may have failed for another
        reason. Raises Overlong.
        """
        if refusal.kind == "context":
            return self._cut(refusal, pictured=pictured, characters=characters)
        named = refusal.params or _ABOUT.get(refusal.kind, ())
        vague = refusal.kind in ("request", "parameter", *_ABOUT) and (refusal.status or 0) < 500
        there = self._there(pictured)
        part = next((name for name in (*named, *(_ALL if vague else ())) if there[name]), None)
        if part is None:
            return False
        self.dropped.append(self._drop(part))
        return True

    def _there(self, pictured: bool) -> Mapping[str, bool]:
        return {
            "form": self.form != "text",
            "screenshots": pictured,
            "max_tokens": self.max_tokens is not None,
            "temperature": self.temperature is not None,
            "seed": self.seed is not None,
            "system": self.system,
            "parts": self.parts and not pictured,
        }

    def _cut(self, refusal: Refusal, *, pictured: bool, characters: int) -> bool:
        if self.budget > LEAST:
            # Halved, since servers have no common way to say by how much a question is too long; and half of what was
            # sent, since most pages are shorter than the limit.
            self.budget = max(LEAST, min(self.budget, characters) // 2)
            self.dropped.append(f"page beyond {self.budget} characters")
            return True
        if pictured:
            # A picture takes tokens, too, and many times the bytes of a page.
            self.dropped.append(self._drop("screenshots"))
            return True
        if refusal.markup:
            # No limit of the model: a web server in front of it takes no request of this size.
            return False
        raise Overlong(
            f"the request exceeds the model's context length, even with {self.budget} characters of the page"
        )

    def _drop(self, name: str) -> str:
        """Leave out a part and return what it was."""
        match name:
            case "form":
                refused, self.form = self.form, _LESS[self.form]
                return f"response_format {refused}"
            case "screenshots":
                self.pictures = False
            case "max_tokens":
                name = self.limit
                # First it is sent under its other name, then not at all.
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


def _joined(content: Any) -> str:
    return "\n\n".join(part["text"] for part in _parts(content) if "text" in part)
