"""Yes or no."""

from collections.abc import Mapping
from typing import Any, Literal

from stressweb.sites.kit.refusals import RefusedError
from stressweb.sites.kit.spec.fields import Answers, Field


class Flag(Field):
    """A box to tick; operations read 1 or 0. One that is required must be ticked."""

    type: Literal["flag"]

    def unsent(self, names: Mapping[str, Any]) -> str:
        """Return nothing: browsers do not send a box that is not ticked."""
        return ""

    def accept(self, name: str, answers: Answers) -> int:
        """Return whether the box is ticked."""
        ticked = bool(answers.text(name))
        if self.required and not ticked:
            raise RefusedError("error_required")
        return int(ticked)
