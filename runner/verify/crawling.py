"""Crawls the pages of a site by links."""

from collections import Counter
from collections.abc import Iterator
from urllib.parse import urljoin, urlsplit

from stressweb.walking.walker import Walker
from stressweb.walking.xpath import strings


def crawl(walker: Walker, limit: int = 60, most: int = 12) -> Iterator[Walker]:
    """Yield the walker on every page that links reach: at most `limit` pages, and `most` of each kind (`kind_of`)."""
    queue, seen, kinds = ["/"], {"/"}, Counter[str]()
    while queue and limit:
        walker.get(queue.pop(0))
        limit -= 1
        yield walker
        for address in addresses(walker):
            kind = kind_of(address)
            if address not in seen and kinds[kind] < most:
                kinds[kind] += 1
                seen.add(address)
                queue.append(address)


def addresses(walker: Walker) -> Iterator[str]:
    """Yield path and query of every link on a page to the same site."""
    for link in strings(walker.page, "//a/@href"):
        parts = urlsplit(urljoin(f"http://{walker.world.host}{walker.url}", link))
        if parts.netloc == walker.world.host:
            yield parts.path + (f"?{parts.query}" if parts.query else "")


def kind_of(address: str) -> str:
    """Return the first part of a page's path, which pages of the same kind share."""
    return urlsplit(address).path.split("/")[1]


def one_of_each_kind(walker: Walker, limit: int = 60) -> list[str]:
    """Return the address of the longest page of each kind that a crawl reaches."""
    longest: dict[tuple[str, ...], tuple[int, str]] = {}
    for place in crawl(walker, limit, most=6):
        _, first, *rest = urlsplit(place.url).path.split("/")
        # /notes/7 and /notes/8 are of the same kind, /notes/7/edit is of another.
        kind = (first, *("*" for _ in rest[:1]), *rest[1:])
        longest[kind] = max(longest.get(kind, (0, "")), (len(place.html), place.url))
    return [url for _, url in longest.values()]
