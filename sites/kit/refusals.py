"""Exceptions that a site's code raises to refuse an action or a page."""

from collections.abc import Mapping


class RefusedError(Exception):
    """Refuses an action, with the label key of the reason and the field at fault, if any."""

    def __init__(self, label: str, field: str = "", words: Mapping[str, str] = {}) -> None:
        """Take the label key of the reason, the field's name, and values for the wording's template."""
        super().__init__(label)
        self.label, self.field, self.words = label, field, words


class MissingError(Exception):
    """Raised by a function of the site's logic if its page does not exist."""
