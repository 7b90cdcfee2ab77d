"""The stage: tabs for the page's scripts, without a proxy."""

from tests.support.page_stage import context, own_tab, stage
from tests.support.tabs import tab

__all__ = ["context", "own_tab", "stage", "tab"]
