"""Reads token usage from a model's answer while it is passed on: a JSON body or a stream of events."""

import json
import re
from collections.abc import Mapping
from typing import Any

from stressweb.core.tracebacks import concealed
from stressweb.plugins.agent import Usage
from stressweb.runner.agents.llm.completion import name_in, tokens

_EVENT_END = re.compile(rb"\r\n\r\n|\n\n|\r\r")
_LARGEST_PARSED = 32_000_000
"""Largest answer, or event of a stream, that is parsed, in bytes; the usage of a larger answer is unknown."""


class UsageReader:
    """Reads an answer part by part and returns each part unchanged."""

    def __init__(self, *, streamed: bool, drop_usage: bool = False) -> None:
        """`streamed`: the answer is a stream of events. `drop_usage`: do not pass on the event with the usage.

        Endpoints send this event only on request, and a client that did not request it may fail on it.
        """
        self._streamed, self._drop_usage = streamed, drop_usage
        self._unparsed = b""
        self._token_counts: dict[str, int] = {"in": 0, "out": 0}
        self._names: dict[str, str] = {}

    def read_part(self, part: bytes) -> bytes:
        """Read a part of the answer; return the bytes for the client."""
        self._unparsed += part
        if not self._streamed:
            if len(self._unparsed) > _LARGEST_PARSED:
                self._unparsed = b""
            return part
        part_for_client = b""
        while event_end := _EVENT_END.search(self._unparsed):
            event, self._unparsed = self._unparsed[: event_end.end()], self._unparsed[event_end.end() :]
            part_for_client += self._read_event(event)
        if len(self._unparsed) > _LARGEST_PARSED:
            part_for_client, self._unparsed = part_for_client + self._unparsed, b""
        return part_for_client

    def read_end(self) -> bytes:
        """Read the end of the answer; return the remaining bytes for the client."""
        unparsed, self._unparsed = self._unparsed, b""
        if self._streamed:
            return self._read_event(unparsed)
        self._note_usage(_json(unparsed))
        return b""

    @property
    def usage(self) -> Usage:
        """The usage that the answer has reported so far."""
        model, fingerprint, request = (self._names.get(name, "") for name in ("model", "fingerprint", "request"))
        read, written = self._token_counts["in"], self._token_counts["out"]
        return Usage(tokens_in=read, tokens_out=written, model=model, fingerprint=fingerprint, request=request)

    def _read_event(self, event: bytes) -> bytes:
        """Read an event; return its bytes for the client."""
        data_lines = [line[5:].strip() for line in event.splitlines() if line.startswith(b"data:")]
        content = _json(b"\n".join(data_lines)) if data_lines else None
        self._note_usage(content)
        return b"" if self._drop_usage and _has_only_usage(content) else event

    def _note_usage(self, content: Any) -> None:
        # The body itself, or the `response` (OpenAI's Responses API) or `message` (Anthropic) of an event.
        for holder in (content, *(_entry(content, name) for name in ("response", "message"))):
            if isinstance(holder, Mapping):
                # Each event has the running total, so the largest one is the answer's total.
                read, written = tokens(holder.get("usage"))
                self._token_counts = {
                    "in": max(self._token_counts["in"], read),
                    "out": max(self._token_counts["out"], written),
                }
                named = (("model", "model"), ("fingerprint", "system_fingerprint"), ("request", "id"))
                # A server may repeat the user's key in any text.
                texts = {name: concealed(name_in(holder.get(entry))) for name, entry in named}
                self._names |= {name: text for name, text in texts.items() if text}


def _has_only_usage(content: Any) -> bool:
    return isinstance(content, Mapping) and content.get("choices") == [] and isinstance(content.get("usage"), Mapping)


def _entry(content: Any, name: str) -> Any:
    return content.get(name) if isinstance(content, Mapping) else None


def _json(data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None
