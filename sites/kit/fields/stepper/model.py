"""A number with buttons for up and down."""

from typing import Literal

from stressweb.sites.kit.fields.number.model import Integer as Number


class Stepper(Number):
    """A whole number with a button on either side, which change only the field's value."""

    type: Literal["stepper"]  # type: ignore[assignment]
