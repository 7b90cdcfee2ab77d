"""How the code of a site says no: to an action, and to a page."""


class RefusedError(Exception):
    """An action that is not done: the label key that says why, and the field that it is about, if any."""

    def __init__(self, label: str, field: str = "") -> None:
        """Take the label key of the reason and the name of the field."""
        super().__init__(label)
        self.label, self.field = label, field


class MissingError(Exception):
    """A page that does not exist, as a function of the site's logic finds out."""
