"""What a server's error holds: codes, names of parameters, status and words, however the server wraps them."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

_LONGEST = 1000
"""Characters of one message that are looked at: a server may repeat the whole request in it."""
_SHOWN = 300
"""Characters of the line that a person reads."""
_DEEPEST = 8
_CODES = ("code", "type", "error_type", "error_code", "reason", "status")
_PARAMS = ("param", "loc", "parameter")
_WORDS = ("message", "msg", "detail", "error", "raw", "title", "error_description", "errors", "fault")
_INSIDE = (
    "error", "errors", "detail", "details", "metadata", "innererror", "inner_error", "message", "raw", "violations",
)  # fmt: skip
_QUOTAS = ("quotaId", "quotaMetric", "retryDelay")
"""Entries of Google's errors that say which quota is used up, and for how long."""
_MARKUP = re.compile(r"<(?:script|style)\b.*?</(?:script|style)>|<[^>]*>", re.DOTALL | re.IGNORECASE)

type _Sort = Literal["code", "param", "word", "quota"]


class Evidence(NamedTuple):
    """What an error says, in the order of how much it is worth."""

    status: int | None
    """Status of HTTP, or the number that the server gives in its place; None if there is none."""
    codes: frozenset[str] = frozenset()
    """Codes and types in lower case."""
    params: tuple[str, ...] = ()
    """Names of the parts of the request that the error is about, such as `response_format` or `messages.0.role`."""
    words: str = ""
    """All messages in lower case, on one line."""
    said: str = ""
    """The same for people, with parameter and code, cut to 300 characters."""
    markup: bool = False
    """Whether it is a page for browsers: what a web server in front of the endpoint answers."""


def evidence(status: int | None, body: bytes | str | Any, hide: Callable[[str], str] = str) -> Evidence:
    """Return what an answer says; `body` is its text or its JSON value, and `hide` takes a key out of a text."""
    value = _json_in(body) if isinstance(body, bytes | str) else body
    if isinstance(value, str):
        return _plain(status, value, hide)
    pairs = list(_pairs(value, _DEEPEST))
    words = _distinct(text for sort, text in pairs if sort == "word")
    codes = _distinct(text for sort, text in pairs if sort == "code")
    params = _distinct(text for sort, text in pairs if sort == "param")
    quotas = _distinct(text for sort, text in pairs if sort == "quota")
    numbers = [int(code) for code in codes if re.fullmatch(r"[1-5]\d\d", code)]
    # A server that answers with status 200 gives the real one as a code.
    if status is None or status < 400:
        status = next((number for number in numbers if number >= 400), None)
    # A single word, such as "error", says nothing to a person.
    shown = _distinct((*words, *params, *(code for code in codes if "_" in code)))
    return Evidence(
        status,
        frozenset(code.lower() for code in codes),
        tuple(param.lower() for param in params),
        hide(" ".join((*words, *quotas))).lower(),
        # Half of a key would not be known as one, so it is hidden before the text is cut.
        hide(" · ".join(shown))[:_SHOWN] or "no reason given",
    )


def _plain(status: int | None, text: str, hide: Callable[[str], str]) -> Evidence:
    """Return what an answer says that is no JSON: a line of text, or a page of a web server."""
    markup = text.lstrip()[:1] == "<"
    bare = _one_line(_MARKUP.sub(" ", text[: 20 * _LONGEST]) if markup else text)
    return Evidence(status, words=hide(bare).lower(), said=hide(bare)[:_SHOWN] or "no reason given", markup=markup)


def _json_in(body: bytes | str) -> Any:
    """Return the JSON value of a text, or the text itself."""
    text = clean(body.decode(errors="replace") if isinstance(body, bytes) else body)
    try:
        return json.loads(text.lstrip("\ufeff"))
    except (ValueError, RecursionError):
        return text


def clean(text: str) -> str:
    """Return a text that can be written to a file: half of a surrogate pair cannot."""
    return text.encode(errors="replace").decode()


def _pairs(value: Any, depth: int) -> Iterator[tuple[_Sort, str]]:
    """Yield the codes, parameters and messages of an error, the outer ones first."""
    if depth == 0:
        return
    if isinstance(value, list):
        for entry in value[:20]:
            yield from _pairs(entry, depth - 1)
        return
    if isinstance(value, str):
        yield from _message(value, depth)
    if not isinstance(value, Mapping):
        return
    for name, entry in value.items():
        yield from _entry(name, entry, depth)


def _entry(name: str, entry: Any, depth: int) -> Iterator[tuple[_Sort, str]]:
    if name in _CODES and isinstance(entry, str | int) and not isinstance(entry, bool):
        yield "code", _one_line(str(entry))[:100]
    elif name in _PARAMS and isinstance(entry, str | list) and entry:
        parts = entry if isinstance(entry, list) else [entry]
        # Pydantic's place of an error begins with "body", which says nothing.
        yield "param", ".".join(str(part) for part in parts[:8] if part != "body")[:200]
    elif name in _QUOTAS and isinstance(entry, str):
        yield "quota", f"{name} {entry[:200]}"
    elif name in _WORDS and isinstance(entry, str):
        yield from _message(entry, depth)
    elif name in _INSIDE and isinstance(entry, Mapping | list):
        yield from _pairs(entry, depth - 1)


def _message(text: str, depth: int) -> Iterator[tuple[_Sort, str]]:
    """Yield a message, or what it holds: gateways pass on the error of another server as text."""
    inside = _json_in(text) if text.lstrip()[:1] in ("{", "[") else text
    if isinstance(inside, Mapping | list):
        yield from _pairs(inside, depth - 1)
    elif line := _one_line(clean(text)):
        yield "word", line[:_LONGEST]


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _distinct(texts: Iterable[str]) -> list[str]:
    return [text for text in dict.fromkeys(texts) if text]
