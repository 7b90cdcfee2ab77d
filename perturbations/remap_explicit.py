"""Explicit remap: the same as remap, and the page says so from its load."""

from typing import ClassVar

from perturbations.remap import Remap
from stressweb.core.draws import Seeds
from stressweb.html.page import Page

HINT = "Please note: on this page some links and buttons need a double click. A single click only selects them."
_LOOK = (
    "display:block;margin:0;padding:10px 24px;background:#fff3cd;color:#5c4400;"
    "font:600 15px/1.4 system-ui,sans-serif;border-bottom:2px solid #e0b000"
)


class RemapExplicit(Remap):
    """Selected controls need a double click, and an instruction at the top of the page says so.

    The same seeds remap the same controls as under `remap`.
    """

    mode: ClassVar[str] = "remap_explicit"

    def rewrite(self, page: Page, seeds: Seeds) -> int:
        """Put the instruction at the top of the page, if it can be true."""
        # Under `sham` nothing is remapped, and an instruction that is false would disturb the agent by itself.
        if not self.share:
            return 0
        banner = page.added("p")
        banner.text = HINT
        page.style(banner, _LOOK)
        page.body.insert(0, banner)
        # lxml keeps the text before the first child apart from the children, so it would stay above the banner.
        if page.body.text:
            banner.tail, page.body.text = page.body.text, None
        return 1
