"""What an item costs, and what people think of it."""

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
    """Label key of what stands behind it."""
    large: bool = False

    @classmethod
    def left_out(cls, key: str, declared: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the column of the name as amount."""
        return {"text": f"row.{key}"}

    def view(self, visit: Visit, names: Mapping[str, Any]) -> Any:
        """Return the amount as the page says it, and as a plain number."""
        return visit.money(self.text, names)


class Rating(Part):
    """Stars out of five."""

    part: Literal["rating"]
    text: Template
    label: Label = ""
    """Label key of what stands behind them."""
    prop: str = "aggregateRating"
    type: str = "AggregateRating"

    @classmethod
    def left_out(cls, key: str, declared: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the column of the name as number of stars."""
        return {"text": f"{{row.{key}}}"}


class Amount(Part):
    """An amount with its name before it."""

    part: Literal["amount"]
    text: str
    """Path of the amount, in hundredths."""
    label: Label
    prop: str = ""
    """The itemprop that it is, as a plain number."""

    @classmethod
    def left_out(cls, key: str, declared: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the column of the name as amount and as label key."""
        return {"text": f"row.{key}", "label": key}

    def view(self, visit: Visit, names: Mapping[str, Any]) -> Any:
        """Return the amount as the page says it, and as a plain number."""
        return visit.money(self.text, names)
