"""A number that is counted up and down."""

from typing import Literal

from stressweb.sites.kit.fields.number.model import Integer as Number


class Stepper(Number):
    """A whole number with a button on either side, which only change what stands in the field."""

    type: Literal["stepper"]  # type: ignore[assignment]
