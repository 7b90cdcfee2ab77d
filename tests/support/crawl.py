"""Every page that links lead to, as the site serves it, and the clean states of whole episodes."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import urljoin, urlsplit

import lxml.html

from stressweb.core import draws
from stressweb.plugins.offers import Offer
from stressweb.plugins.site_world import SiteWorld
from stressweb.plugins.steps import Step
from stressweb.walking.documents import document, served
from stressweb.walking.walker import Walker


@dataclass(frozen=True)
class Visited:
    """A page of a site as served, or with the entries made so far."""

    site: str
    path: str
    """Path and query."""
    html: str = field(repr=False)

    @property
    def kind(self) -> str:
        """First segment of the path; pages of one kind share a template."""
        return self.path.partition("?")[0].split("/")[1]


def crawl(site: SiteWorld, steps: Sequence[Step] = (), per_kind: int = 1000) -> list[Visited]:
    """Return every page that is linked from the first one, after `steps`; requests each address once.

    `per_kind` limits the pages of one kind, in the order met: a calendar has no last page.
    """
    walker = Walker(site).walk(tuple(steps))
    queue, html_by_address = ["/"], dict.fromkeys(["/"], "")
    met: Counter[tuple[str, int]] = Counter()
    for url in queue:
        answer = walker.fetch(url)
        if answer.status_code == 303:
            links = [answer.headers["Location"]]
        elif html := document(answer):
            html_by_address[url] = html
            anchors = lxml.html.document_fromstring(html_by_address[url]).iter("a")
            links = [anchor.get("href") or url for anchor in anchors]
        for address in (_address(url, link) for link in links):
            path = address.partition("?")[0]
            kind = (path.split("/")[1], path.count("/"))
            if address not in html_by_address and met[kind] < per_kind:
                met[kind] += 1
                queue.append(address)
                html_by_address[address] = ""
    return [Visited(site.site, path, html) for path, html in html_by_address.items() if html]


def pages_per_kind(name: str) -> int:
    """Return how many pages of one kind to request for a whole site: all of the shop's."""
    return 1000 if name == "shop" else 12


def some_pages(site: SiteWorld, count: int, *key: draws.Part) -> list[Visited]:
    """Return the first page and a keyed sample of pages, one of each other kind."""
    first, *others = crawl(site, per_kind=2)
    kinds = {page.kind: page for page in others if page.kind != first.kind}
    drawn = sorted(kinds.values(), key=lambda page: draws.unit("pages", *key, site.site, page.kind))
    return [first, *drawn[: count - 1]]


def states(site: SiteWorld, steps: Sequence[Step], offers: Sequence[Offer]) -> list[Visited]:
    """Return every state of a trajectory whose steps all take effect, entries in fields included."""
    walker = Walker(site, offers=offers)
    seen = dict.fromkeys(walker.walk(tuple(steps)).seen)
    return [Visited(site.site, path, served(html)) for path, html in seen]


def _address(base_url: str, link: str) -> str:
    parts = urlsplit(urljoin(base_url, link))
    return f"{parts.path}?{parts.query}" if parts.query else parts.path
