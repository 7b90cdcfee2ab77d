"""What a request to a model carries beside the words, and what is left of it once a server has refused a part."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from runner.agents.llm.prompt import schema

Form = Literal["schema", "object", "text"]
"""How an answer is asked for: by JSON schema, as any JSON object, or as plain text."""
LEAST = 1000
"""Characters of a page below which it is not cut any more."""

_FORMS: Mapping[Form, Any] = {
    "schema": {"type": "json_schema", "json_schema": {"name": "action", "schema": schema()}},
    "object": {"type": "json_object"},
    "text": None,
}
_LESS: Mapping[Form, Form] = {"schema": "object", "object": "text"}
# Servers have no common code for this, only words; mmproj is llama.cpp's for the part of a model that reads pictures.
# Where a server names no part, they are left out in this order.
_SIGNS: Mapping[str, tuple[str, ...]] = {
    "form": ("response_format", "json_schema", "json_object", "structured output"),
    "screenshots": ("image", "vision", "multimodal", "mmproj"),
    "max_tokens": ("max_tokens",),
    "temperature": ("temperature",),
    "seed": ("seed",),
}
"""By what words a server says which part of a request it refuses."""
_TOO_LONG = ("context", "too long", "maximum length", "token limit", "exceed")


class Overlong(Exception):  # noqa: N818 - an outcome of the agent, which has too much to say
    """A question does not fit the model, however much of the page is cut."""


@dataclass
class RequestOptions:
    """What is offered to one server in one episode; what it refuses is left out from then on."""

    form: Form = "schema"
    pictures: bool = True
    temperature: float | None = 0.0
    seed: int | None = None
    max_tokens: int | None = None
    limit: str = "max_tokens"
    """Name of the limit of an answer, which some servers call `max_completion_tokens`."""
    budget: int = 250_000
    """Characters of the page that are shown."""
    dropped: list[str] = field(default_factory=list)
    """What was left out, in order."""

    def arguments(self) -> dict[str, Any]:
        """Return the offer as arguments of a request."""
        given = {
            "response_format": _FORMS[self.form],
            "temperature": self.temperature,
            "seed": self.seed,
            self.limit: self.max_tokens,
        }
        return {name: value for name, value in given.items() if value is not None}

    def give_in(self, status: int, complaint: str, *, pictured: bool) -> bool:
        """Leave out what a complaint is about; return whether there was anything to leave out.

        `pictured` says whether the request had pictures. A complaint that names no part costs the first that there
        is, unless the server may have failed for another reason. Raises Overlong.
        """
        words = complaint.lower()
        # A question that is too long is not helped by leaving out an option, so it is looked at first.
        if status < 500 and any(sign in words for sign in _TOO_LONG):
            self._cut()
            return True
        named = [name for name, signs in _SIGNS.items() if any(sign in words for sign in signs)]
        if status >= 500:
            # A server that fails for another reason may still repeat the request: only what it says it does not support
            # is left out.
            named = [name for name in named if "support" in words]
        elif not named and status in (400, 422):
            # The request is at fault and the server does not say where: each part in turn.
            named = list(_SIGNS)
        there = self._there(pictured)
        found = next((name for name in named if there[name]), None)
        if found is None:
            return False
        self.dropped.append(self._drop(found))
        return True

    def _there(self, pictured: bool) -> Mapping[str, bool]:
        return {
            "form": self.form != "text",
            "screenshots": pictured,
            # It is not left out but sent under its other name, which can be done once.
            "max_tokens": self.max_tokens is not None and self.limit == "max_tokens",
            "temperature": self.temperature is not None,
            "seed": self.seed is not None,
        }

    def _cut(self) -> None:
        if self.budget <= LEAST:
            raise Overlong(
                f"the request exceeds the model's context length, even with {self.budget} characters of the page"
            )
        # Halved, since servers have no common way to say by how much a question is too long.
        self.budget = max(LEAST, self.budget // 2)
        self.dropped.append(f"page beyond {self.budget} characters")

    def _drop(self, name: str) -> str:
        """Leave out a part and return what it was."""
        match name:
            case "form":
                refused, self.form = self.form, _LESS[self.form]
                return f"response_format {refused}"
            case "screenshots":
                self.pictures = False
            case "max_tokens":
                self.limit = "max_completion_tokens"
            case "temperature":
                self.temperature = None
            case _:
                self.seed = None
        return name
