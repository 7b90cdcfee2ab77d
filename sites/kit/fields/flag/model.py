"""Yes or no."""

from typing import Literal

from sites.kit.asked import Answers, Field
from sites.kit.refusals import RefusedError


class Flag(Field):
    """A box to tick; operations read 1 or 0. One that is required must be ticked."""

    type: Literal["flag"]

    def accept(self, name: str, answers: Answers) -> int:
        """Return whether the box is ticked."""
        ticked = bool(answers.text(name))
        if self.required and not ticked:
            raise RefusedError("error_required")
        return int(ticked)
