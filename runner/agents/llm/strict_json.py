"""Strict JSON: no duplicate names in an object, no NaN or infinity, no lone surrogates."""

import json
import math
from typing import Any, NoReturn


class NotJSONError(ValueError):
    """The text is not strict JSON; the message says why."""


def decoded(text: str, start: int = 0) -> tuple[Any, int]:
    """Return the JSON value that begins at `start`, and the index of its end; raises NotJSONError."""
    try:
        parsed, end = _DECODER.raw_decode(text, start)
        # A lone surrogate such as `\ud800` cannot be written to the recording.
        json.dumps(parsed, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise NotJSONError("it holds half of a surrogate pair") from None
    except (ValueError, RecursionError) as error:
        raise NotJSONError(f"it is not JSON: {str(error)[:120]}") from None
    return parsed, end


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping = dict(pairs)
    # JSON parsers differ in which of the duplicates counts.
    if len(mapping) < len(pairs):
        raise ValueError("a name is given twice in one object")
    return mapping


def _constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


def _float(digits: str) -> float:
    number = float(digits)
    # Python reads 1e999 as infinity, which JSON cannot express.
    if not math.isfinite(number):
        raise ValueError(f"{digits[:20]} is too large a number")
    return number


_DECODER = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_constant, parse_float=_float)
