"""Rows of a site's data with attribute access."""

from typing import Any


class Entity(dict[str, Any]):
    """One row: `product["name"]` and `product.name` read the same column."""

    def __getattr__(self, name: str) -> Any:
        """Return a column; raises AttributeError if the row has no such column."""
        try:
            return self[name]
        except KeyError:
            # `hasattr` and `copy` expect AttributeError.
            raise AttributeError(f"no column {name!r}; choose from {', '.join(self)}") from None
