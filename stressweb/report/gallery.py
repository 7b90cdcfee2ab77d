"""The gallery: every site under every mode and severity as pictures, and worlds of each site side by side."""

import base64
from collections.abc import Sequence
from typing import NamedTuple

from stressweb.log.pictures import kind_of
from stressweb.report import assets
from stressweb.report.page import GENERATOR


class Picture(NamedTuple):
    """A picture with its caption."""

    data: bytes
    """A PNG or a JPEG."""
    caption: str

    @property
    def source(self) -> str:
        """The picture as a data URL."""
        return f"data:image/{kind_of(self.data) or 'png'};base64,{base64.b64encode(self.data).decode()}"


class ModeRow(NamedTuple):
    """A mode, from its mildest severity to its strongest."""

    mode: str
    what: str
    """What the mode does, in a sentence."""
    pictures: tuple[tuple[str, Picture | None], ...]
    """Condition and picture of each severity; None if the episode did not meet the mode."""


class SiteShown(NamedTuple):
    """A site's section of the gallery."""

    name: str
    goal: str
    worlds: tuple[Picture, ...]
    """The first page in each world, undisturbed."""
    modes: tuple[ModeRow, ...]


def gallery(sites: Sequence[SiteShown], version: str) -> str:
    """Return the gallery as one HTML document; `made` says with what it was made."""
    code = assets.script("data", "theme")
    return (
        assets.environment()
        .get_template("gallery.html")
        .render(
            sites=sites,
            version=version,
            headline=", ".join(site.name for site in sites),
            generator=GENERATOR,
            policy=assets.policy(code),
            css=assets.css(),
            script=code,
            library="",
            specs={},
        )
    )
