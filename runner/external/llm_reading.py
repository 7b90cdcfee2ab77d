"""Reads token usage from a model's answer while it is passed on: a JSON body or a stream of events."""

import json
import re
from collections.abc import Mapping
from typing import Any

from stressweb.core.tracebacks import concealed
from stressweb.plugins.agent import Usage
from stressweb.runner.agents.llm.completion import name_in, tokens

_EVENT_END = re.compile(rb"\r\n\r\n|\n\n|\r\r")
_LARGEST = 32_000_000
"""Largest answer, or event of a stream, that is parsed, in bytes; the usage of a larger answer is unknown."""


class AnswerReading:
    """Reads an answer part by part and returns each part unchanged."""

    def __init__(self, *, streamed: bool, drop_usage: bool = False) -> None:
        """`streamed`: the answer is a stream of events. `drop_usage`: do not pass on the event with the usage.

        Endpoints send this event only on request, and a client that did not request it may fail on it.
        """
        self._streamed, self._drop_usage = streamed, drop_usage
        self._rest = b""
        self._costs: dict[str, int] = {"in": 0, "out": 0}
        self._names: dict[str, str] = {}

    def take(self, part: bytes) -> bytes:
        """Read a part of the answer; return the bytes for the client."""
        self._rest += part
        if not self._streamed:
            return self._limit_size(part)
        passed = b""
        while end := _EVENT_END.search(self._rest):
            event, self._rest = self._rest[: end.end()], self._rest[end.end() :]
            passed += event if self._read_event(event) else b""
        if len(self._rest) > _LARGEST:
            passed, self._rest = passed + self._rest, b""
        return passed

    def end(self) -> bytes:
        """Read the end of the answer; return the remaining bytes for the client."""
        rest, self._rest = self._rest, b""
        if self._streamed:
            return rest if self._read_event(rest) else b""
        self._read(_json(rest))
        return b""

    @property
    def usage(self) -> Usage:
        """The usage that the answer has reported so far."""
        model, fingerprint, request = (self._names.get(name, "") for name in ("model", "fingerprint", "request"))
        read, written = self._costs["in"], self._costs["out"]
        return Usage(tokens_in=read, tokens_out=written, model=model, fingerprint=fingerprint, request=request)

    def _limit_size(self, part: bytes) -> bytes:
        if len(self._rest) > _LARGEST:
            self._rest = b""
        return part

    def _read_event(self, event: bytes) -> bool:
        """Read an event; return whether to pass it on to the client."""
        lines = [line[5:].strip() for line in event.splitlines() if line.startswith(b"data:")]
        value = _json(b"\n".join(lines)) if lines else None
        self._read(value)
        bare = isinstance(value, Mapping) and value.get("choices") == [] and isinstance(value.get("usage"), Mapping)
        return not (self._drop_usage and bare)

    def _read(self, value: Any) -> None:
        # The body itself, or the `response` (OpenAI's Responses API) or `message` (Anthropic) of an event.
        for holder in (value, *(_entry(value, name) for name in ("response", "message"))):
            if isinstance(holder, Mapping):
                # Each event has the running total, so the largest one is the answer's total.
                read, written = tokens(holder.get("usage"))
                self._costs = {"in": max(self._costs["in"], read), "out": max(self._costs["out"], written)}
                named = (("model", "model"), ("fingerprint", "system_fingerprint"), ("request", "id"))
                # A server may repeat the user's key in any text.
                texts = {name: concealed(name_in(holder.get(entry))) for name, entry in named}
                self._names |= {name: text for name, text in texts.items() if text}


def _entry(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else None


def _json(data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None
