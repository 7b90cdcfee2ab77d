"""How the code of a site says no: to an action, and to a page."""

from collections.abc import Mapping


class RefusedError(Exception):
    """An action that is not done: the label key that says why, and the field that it is about, if any."""

    def __init__(self, label: str, field: str = "", words: Mapping[str, str] = {}) -> None:
        """Take the label key of the reason, the name of the field, and what the wording names besides."""
        super().__init__(label)
        self.label, self.field, self.words = label, field, words


class MissingError(Exception):
    """A page that does not exist, as a function of the site's logic finds out."""
