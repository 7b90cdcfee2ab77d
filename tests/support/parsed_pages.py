"""Counts how often pages are parsed for checkpoints."""

import pytest

from stressweb.plugins import query


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The documents parsed so far."""
    parsed_pages: list[str] = []
    real = query.site_tree
    monkeypatch.setattr(query, "site_tree", lambda html, key: (parsed_pages.append(html), real(html, key))[1])
    return parsed_pages
