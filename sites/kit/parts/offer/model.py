"""The price and the rating of an item."""

from collections.abc import Mapping
from typing import Any, Literal

from stressweb.sites.kit.serving.visit import Visit
from stressweb.sites.kit.spec.strict import Label, Template
from stressweb.sites.kit.spec.widgets import Part


class Price(Part):
    """An amount in the world's currency."""

    part: Literal["price"]
    text: str
    """Path of the amount, in hundredths."""
    label: Label = ""
    """Label key of the text after the amount."""
    large: bool = False

    @classmethod
    def left_out(cls, key: str, declared: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the column with the part's name as default of the amount."""
        return {"text": f"row.{key}"}

    def view(self, visit: Visit, names: Mapping[str, Any]) -> Any:
        """Return the amount in the world's currency, and as a plain number."""
        return visit.money(self.text, names)


class Rating(Part):
    """Stars out of five."""

    part: Literal["rating"]
    text: Template
    label: Label = ""
    """Label key of the text after the stars."""
    prop: str = "aggregateRating"
    type: str = "AggregateRating"

    @classmethod
    def left_out(cls, key: str, declared: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the column with the part's name as default of the number of stars."""
        return {"text": f"{{row.{key}}}"}


class Amount(Part):
    """An amount after its label."""

    part: Literal["amount"]
    text: str
    """Path of the amount, in hundredths."""
    label: Label
    prop: str = ""
    """The itemprop of the amount, as a plain number."""

    @classmethod
    def left_out(cls, key: str, declared: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the column with the part's name as default of amount and label key."""
        return {"text": f"row.{key}", "label": key}

    def view(self, visit: Visit, names: Mapping[str, Any]) -> Any:
        """Return the amount in the world's currency, and as a plain number."""
        return visit.money(self.text, names)
