"""Users read pydantic's validation errors as plain sentences."""

from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field, TypeAdapter, ValidationError, field_validator

from stressweb.core.conditions import parse
from stressweb.core.errors import UserError
from stressweb.core.validation import first, sentence
from stressweb.perturbations import modes_of


class Thing(BaseModel, extra="forbid"):
    """A thing with a name."""

    name: str

    @field_validator("name")
    @classmethod
    def _no_dash(cls, name: str) -> str:
        if name == "-":
            raise ValueError("needs more than a dash")
        return name


@pytest.mark.parametrize(
    ("kind", "raw", "expected"),
    [
        (Annotated[float, Field(le=1)], 3, "is 3; it takes at most 1"),
        (Annotated[int, Field(ge=0)], -1, "is -1; it takes at least 0"),
        (Annotated[float, Field(gt=0)], 0.0, "is 0; it takes more than 0"),
        (Annotated[int, Field(lt=3)], 3, "is 3; it takes less than 3"),
        (int, "x", "is 'x'; it takes a whole number"),
        (int, 1.5, "is 1.5; it takes a whole number"),
        (float, "x", "is 'x'; it takes a number"),
        (bool, "maybe", "is 'maybe'; it takes true or false"),
        (str, 5, "is 5; it takes a text"),
        (Literal["cards", "rows"], "crds", "is 'crds'; it takes 'cards' or 'rows'; did you mean cards?"),
        (str, [1], "it takes a text"),
        (int, "x" * 50, "it takes a whole number"),
        (Literal["a", "b"], "c", "is 'c'; it takes 'a' or 'b'"),
        (Annotated[str, Field(pattern="^[a-z]+$")], "A1", "is 'A1'; it takes what fits the pattern ^[a-z]+$"),
        (Annotated[list[int], Field(min_length=1)], [], "it takes 1 or more entries"),
        (list[int], 5, "is 5; it takes a list"),
        (Thing, 5, "is 5; it takes names with values"),
        (Thing, {}, "is missing"),
        (Thing, {"name": "a", "nane": "b"}, "is no known name"),
        (Thing, {"name": "-"}, "needs more than a dash"),
    ],
)
def test_a_plain_sentence(kind: Any, raw: object, expected: str) -> None:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(kind).validate_python(raw)
    assert sentence(caught.value.errors()[0]) == expected
    assert "Input should" not in expected


def test_untrusted_values_are_not_repeated() -> None:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(Thing).validate_python({"name": 5})
    assert first(caught.value) == "name: it takes a text"
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(Thing).validate_json("{")
    assert first(caught.value, "body").startswith("body: is no JSON: EOF")


def test_unknown_errors_become_one_line() -> None:
    odd = {"type": "odd", "loc": (), "msg": "Input should be\nodd", "input": 1}
    assert sentence(odd) == "it should be odd"


def test_a_parameter_out_of_range_names_its_value_and_the_limit() -> None:
    with pytest.raises(UserError) as caught:
        modes_of(parse("remap(share=2)", ["remap"])[0])
    assert str(caught.value).startswith("parameter 'share' of mode remap@3(share=2.0) is 2; it takes at most 1")
