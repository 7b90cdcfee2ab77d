"""The face of a person, or the sign of a company."""

from collections.abc import Mapping
from typing import Any, Literal

from stressweb.sites.kit.look import faces
from stressweb.sites.kit.serving.visit import Visit
from stressweb.sites.kit.spec.strict import Template
from stressweb.sites.kit.spec.widgets import Part


class Face(Part):
    """A decorative picture beside a name. Screen readers skip it, so the name must be on the page, too."""

    part: Literal["face"]
    text: Template
    """The name, from which the face is drawn; what does not begin with a first name gets a sign."""
    big: bool = False
    """Whether it is as large as on a profile."""

    def view(self, visit: Visit, names: Mapping[str, Any]) -> Mapping[str, str]:
        """Return the path of the drawing and its shape: people are round, companies square."""
        name = visit.fill(self.text, names)
        return {"path": faces.address(name), "shape": "kit-face" if faces.is_person(name) else "kit-face kit-sign"}
