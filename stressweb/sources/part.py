"""Shipped sources: parts of the single read of a settled page that recorder and agent share."""

import json
from abc import abstractmethod
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

from playwright.async_api import Page

import stressweb.html
from stressweb.core.javascript import source
from stressweb.plugins.observation_source import ObservationSource
from stressweb.sources.aria import tree_js
from stressweb.sources.isolated_world import IsolatedWorld

# Sent with every read, so without their comments.
INNER_JS = source(Path(stressweb.html.__file__).with_name("inner.js"))
"""Finds the shadow roots and frames of a document."""
COPY_JS = source(Path(stressweb.html.__file__).with_name("copy.js"))
"""Writes a live document as markup."""
NOTES_JS = source(Path(stressweb.html.__file__).with_name("notes.js"))
"""Collects the recorder's notes on the nodes of a document."""
_READ = source(Path(__file__).with_name("read.js"))
PLAIN = {"event": "", "boxes": False, "tree": False, "keyed": None, "attempts": {}}
"""The options of a separate read, of which no copy is kept."""


@cache
def read_js(*, tree: bool = False, keys: str = "null") -> str:
    """Return the function that reads a page according to `ReadOptions`: JSON text, or null without a document.

    For an isolated world. It writes the tree only with `tree`, and `keys` computes keys.
    """
    return f"({_READ})({INNER_JS},{COPY_JS},{NOTES_JS},{keys},{tree_js() if tree else 'null'})"


class Part(ObservationSource):
    """A source that fills a field of the observation from the shared read of the page.

    Its value is that of the field. Values that belong together must come from the same moment of the page, so a part is
    `taken` from a shared read instead of reading for itself.
    """

    field: ClassVar[str]
    """The field of the observation."""
    measured: ClassVar[bool] = False
    """Whether the read must measure elements for it."""
    written: ClassVar[bool] = False
    """Whether the read must write the tree for it."""

    @abstractmethod
    async def taken(self, page: Page, read: Mapping[str, Any]) -> Any:
        """Return the value, from the result of the read and from the page."""

    async def read(self, page: Page) -> Any:
        """Return the value from a read for this part alone."""
        world = await IsolatedWorld.of(page)
        try:
            options = {**PLAIN, "boxes": self.measured, "tree": self.written}
            return await self.taken(page, json.loads(await world.evaluate(read_js(tree=self.written), options)))
        finally:
            await world.close()
