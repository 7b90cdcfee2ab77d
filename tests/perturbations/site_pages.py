"""One page of each kind of every site and persona."""

from functools import cache

from tests.support.crawl import Visited, crawl
from tests.support.crawling import PERSONAS, SITES, sign_in, site

WHO = [*((name, "") for name in SITES), *PERSONAS.items()]


@cache
def pages(name: str, persona: str) -> list[Visited]:
    """Return one page of each kind that a crawl reaches."""
    visited = crawl(site(name, 0), sign_in(site(name, 0), persona), per_kind=2)
    return [*{page.kind: page for page in visited}.values()]
