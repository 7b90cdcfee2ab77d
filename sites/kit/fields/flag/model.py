"""Yes or no."""

from collections.abc import Mapping
from typing import Any, Literal

from stressweb.sites.kit.refusals import RefusedError
from stressweb.sites.kit.spec.fields import Answers, Field


class Flag(Field):
    """A checkbox, which must be ticked if it is required; operations read 1 or 0."""

    type: Literal["flag"]

    def unsent(self, names: Mapping[str, Any]) -> str:
        """Return an empty text: browsers do not send an unticked checkbox."""
        return ""

    def accept(self, name: str, answers: Answers) -> int:
        """Return 1 if the checkbox is ticked, otherwise 0; raises RefusedError if it is required and not ticked."""
        ticked = bool(answers.text(name))
        if self.required and not ticked:
            raise RefusedError("error_required")
        return int(ticked)
