"""Counts how often pages are parsed for checkpoints."""

import pytest
from lxml.html import HtmlElement

from stressweb.html.recorded import site_tree
from stressweb.plugins import query


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The documents parsed so far."""
    parsed_pages: list[str] = []

    def counted(html: str) -> HtmlElement:
        parsed_pages.append(html)
        return site_tree(html)

    monkeypatch.setattr(query, "site_tree", counted)
    return parsed_pages
