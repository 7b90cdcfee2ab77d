"""Compares requests to a language model: pictures by digest, and without values that vary between runs."""

import hashlib
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

_PICTURE = "picture:"
_DATA_URL = re.compile(r"data:image/[\w.+-]+;base64,[A-Za-z0-9+/]+={0,2}")
_BASE64 = re.compile(r"[A-Za-z0-9+/]{256,}={0,2}")
_DIGEST = re.compile(rf"{_PICTURE}[0-9a-f]{{32}}")
_VARYING = (
    (_DIGEST, "[picture]"),
    (re.compile(r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b"), "[id]"),
    (re.compile(r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?"), "[date]"),
    (re.compile(r"\b\d{1,2}:\d\d(?::\d\d(?:\.\d+)?)?(?: ?[AaPp][Mm])?\b"), "[time]"),
    (re.compile(r"(?:127\.0\.0\.1|localhost):\d+"), "[address]"),
    (re.compile(r"/(?:private/)?(?:tmp|var/folders)/[\w./-]+"), "[file]"),
)
"""Values in requests that differ in every run."""
_AROUND = 30
"""Characters of context before and after a difference in a message."""


def comparable(value: Any) -> Any:
    """Return a JSON value with each picture replaced by its digest."""
    return _texts(value, _digest_data)


def steady(value: Any) -> Any:
    """Return a comparable value without the parts that differ in every run."""
    return _texts(value, _without_varying)


def difference(value: Any, expected: Any) -> str:
    """Describe in one line the first difference between a JSON value and the expected one."""
    path, actual, wanted = next(_differences(value, expected, ""), ("", value, expected))
    if isinstance(actual, str) and isinstance(wanted, str):
        same = next(
            (i for i, (a, b) in enumerate(zip(actual, wanted, strict=False)) if a != b), min(len(actual), len(wanted))
        )
        actual, wanted = (text[max(0, same - _AROUND) : same + _AROUND] for text in (actual, wanted))
    return f"{path or 'its body'} has {_short(actual)} where the recording has {_short(wanted)}"


def _texts(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [_texts(entry, change) for entry in value]
    if isinstance(value, dict):
        return {name: _texts(entry, change) for name, entry in value.items()}
    return value


def _digest_data(text: str) -> str:
    text = _DATA_URL.sub(lambda match: _digest(match[0]), text)
    return _digest(text) if _BASE64.fullmatch(text) else text


def _digest(picture: str) -> str:
    return _PICTURE + hashlib.blake2b(picture.encode(), digest_size=16).hexdigest()


def _without_varying(text: str) -> str:
    for pattern, word in _VARYING:
        text = pattern.sub(word, text)
    return text


def _differences(value: Any, expected: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(value, dict) and isinstance(expected, dict):
        for name in dict.fromkeys((*value, *expected)):
            subpath = f"{path}.{name}" if path else str(name)
            yield from _differences(value.get(name), expected.get(name), subpath)
    elif isinstance(value, list) and isinstance(expected, list):
        for number, (entry, expected_entry) in enumerate(zip(value, expected, strict=False)):
            yield from _differences(entry, expected_entry, f"{path}.{number}")
        if len(value) != len(expected):
            yield path, f"{len(value)} entries", f"{len(expected)} entries"
    elif value != expected:
        yield path, value, expected


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 4 * _AROUND else f"{text[: 4 * _AROUND]}…"
