"""The face of a person, or the logo of a company."""

from collections.abc import Mapping
from typing import Any, Literal

from stressweb.sites.kit.look import faces
from stressweb.sites.kit.serving.visit import Visit
from stressweb.sites.kit.spec.strict import Template
from stressweb.sites.kit.spec.widgets import Part


class Face(Part):
    """A decorative picture beside a name. Screen readers skip it, so the name must also be on the page."""

    part: Literal["face"]
    text: Template
    """Template of the name; a name that begins with no known first name gets a logo instead of a face."""
    big: bool = False
    """Whether the picture is large, as on a profile."""

    def view(self, visit: Visit, names: Mapping[str, Any]) -> Mapping[str, str]:
        """Return the path of the drawing and its shape: people are round, companies square."""
        name = visit.fill(self.text, names)
        return {"path": faces.address(name), "shape": "kit-face" if faces.is_person(name) else "kit-face kit-sign"}
