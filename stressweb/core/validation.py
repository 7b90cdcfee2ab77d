"""Turns pydantic's errors into plain sentences."""

import re
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from stressweb.core.choices import suggestion, unknown

_LONGEST = 40
"""Longest wrong value that a message repeats, in characters."""

_TAKES: Mapping[str, str] = {
    "greater_than_equal": "at least {ge}",
    "greater_than": "more than {gt}",
    "less_than_equal": "at most {le}",
    "less_than": "less than {lt}",
    "multiple_of": "a multiple of {multiple_of}",
    "literal_error": "{expected}",
    "enum": "{expected}",
    "string_pattern_mismatch": "what fits the pattern {pattern}",
    "string_too_short": "{min_length} or more characters",
    "string_too_long": "at most {max_length} characters",
    "too_short": "{min_length} or more entries",
    "too_long": "at most {max_length} entries",
    "finite_number": "a finite number",
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float", "int_parsing_size"), "a whole number"),
    **dict.fromkeys(("float_type", "float_parsing"), "a number"),
    **dict.fromkeys(("bool_type", "bool_parsing"), "true or false"),
    **dict.fromkeys(("string_type", "string_sub_type"), "a text"),
    **dict.fromkeys(("list_type", "tuple_type", "set_type", "frozen_set_type"), "a list"),
    **dict.fromkeys(("dict_type", "mapping_type"), "names with values"),
    **dict.fromkeys(("model_type", "model_attributes_type", "dataclass_type"), "names with values"),
}
"""Accepted values by pydantic's error type; placeholders are filled from the error's context."""


def sentence(error: Mapping[str, Any]) -> str:
    """Return a sentence for one of `ValidationError.errors()`: "is 3; it takes at most 1", "is missing".

    It repeats the value only if that is short and in the error; `include_input=False` omits untrusted values.
    """
    kind, context = error["type"], error.get("ctx", {})
    if kind == "missing":
        return "is missing"
    if kind in ("extra_forbidden", "unexpected_keyword_argument"):
        return "is no known name"
    if kind == "json_invalid":
        return f"is no JSON: {context.get('error', '')}"
    if kind == "union_tag_invalid":
        # pydantic lists the tags in one text, each in quotes.
        tags = context["expected_tags"].replace("'", "").split(", ")
        return unknown(context["discriminator"].strip("'"), str(context["tag"]), tags)
    if kind == "union_tag_not_found":
        return f"has no {context['discriminator'].strip(chr(39))}, which says what it is"
    if kind in _TAKES:
        return f"{_value(error)}it takes {_TAKES[kind].format_map(_limits(context))}{_guess(error)}"
    # pydantic adds a prefix to the sentences of our validators.
    message = " ".join(str(error["msg"]).removeprefix("Value error, ").removeprefix("Assertion failed, ").split())
    return message.replace("Input should", "it should", 1)


def first(error: ValidationError, whole: str = "value") -> str:
    """Return location and sentence of the first error, without the value; `whole` names the top level."""
    # The value may be from an untrusted file, so leave it out.
    mistake = error.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(map(str, mistake['loc'])) or whole}: {sentence(mistake)}"


def _limits(context: Mapping[str, Any]) -> dict[str, Any]:
    return {name: f"{value:g}" if isinstance(value, float) else value for name, value in context.items()}


def _guess(error: Mapping[str, Any]) -> str:
    """Return a suggestion for a misspelt choice; "" if there is none, or for other types of errors."""
    value = error.get("input")
    if error["type"] != "literal_error" or not isinstance(value, str):
        return ""
    # pydantic lists the choices in one text, each in quotes.
    return suggestion(value, re.findall(r"'([^']*)'", error["ctx"]["expected"]))


def _value(error: Mapping[str, Any]) -> str:
    value = error.get("input")
    if not isinstance(value, str | int | float | bool):
        return ""
    # As written in YAML and JSON: true, and 1 for 1.0.
    text = str(value).lower() if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else repr(value)
    return f"is {text}; " if len(text) <= _LONGEST else ""
