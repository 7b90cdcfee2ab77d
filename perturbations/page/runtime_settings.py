"""Settings of the runtime for one document."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, SkipValidation


class RuntimeSettings(BaseModel):
    """Settings of runtime.js for one document."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: str
    """The page's path, with its query."""
    page: str
    """Name of the page in reports about the page itself."""
    site: str
    """The site's id."""
    hosts: tuple[str, ...] = ()
    """Hosts of the site, with the port if it is not 80."""
    loads: int = 0
    """How many pages of this template the episode had loaded before."""
    # Not validated, because pydantic rejects half of a surrogate pair, which a key may contain.
    attempts: Annotated[dict[str, dict[str, int]], SkipValidation] = {}
    """Attempts so far, by mode and key."""
    read: str
    """Name of the event that announces a read of the recorder."""
    binding: str = ""
    """Name of the page function that takes reports; empty for none."""
    watched: bool = False
    """Whether a person watches and no recorder reads the page."""
    report: str
    """Path for reports if that function does not exist; each document has its own."""
