"""Rows of a site's data that read like objects."""

from typing import Any


class Entity(dict[str, Any]):
    """One row: `product["name"]` and `product.name` read the same column."""

    def __getattr__(self, name: str) -> Any:
        """Return a column; raises AttributeError where the row has none of that name."""
        try:
            return self[name]
        except KeyError:
            # Not KeyError: hasattr and copy ask for attributes and expect this one.
            raise AttributeError(f"no column {name!r}; choose from {', '.join(self)}") from None
