"""Every page that links lead to, as the site itself answers, and the clean states of whole episodes."""

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
    """A page of a site, as it was served or, with entries in it, as it stood."""

    site: str
    path: str
    """Path and query."""
    html: str = field(repr=False)

    @property
    def kind(self) -> str:
        """What the path begins with: pages of one kind are made alike."""
        return self.path.partition("?")[0].split("/")[1]


def crawl(site: SiteWorld, steps: Sequence[Step] = (), of_a_kind: int = 1000) -> list[Visited]:
    """Return every page that links lead to from the first one, after `steps`; each address is asked for once.

    `of_a_kind` is how many pages of one kind are asked for, the first that are met: a calendar has no last page.
    """
    walker = Walker(site).walk(tuple(steps))
    queue, found = ["/"], dict.fromkeys(["/"], "")
    met: Counter[tuple[str, int]] = Counter()
    for here in queue:
        answer = walker.fetch(here)
        if answer.status_code == 303:
            links = [answer.headers["Location"]]
        elif html := document(answer):
            found[here] = html
            anchors = lxml.html.document_fromstring(found[here]).iter("a")
            links = [anchor.get("href") or here for anchor in anchors]
        for address in (_address(here, link) for link in links):
            path = address.partition("?")[0]
            kind = (path.split("/")[1], path.count("/"))
            if address not in found and met[kind] < of_a_kind:
                met[kind] += 1
                queue.append(address)
                found[address] = ""
    return [Visited(site.site, path, html) for path, html in found.items() if html]


def of_a_kind(name: str) -> int:
    """Return how many pages of one kind are asked for where a whole site is meant: every one of the shop's."""
    return 1000 if name == "shop" else 12


def some_pages(site: SiteWorld, count: int, *key: draws.Part) -> list[Visited]:
    """Return the first page and a keyed sample of the other kinds of pages that links lead to."""
    first, *others = crawl(site, of_a_kind=2)
    kinds = {page.kind: page for page in others if page.kind != first.kind}
    drawn = sorted(kinds.values(), key=lambda page: draws.unit("pages", *key, site.site, page.kind))
    return [first, *drawn[: count - 1]]


def states(site: SiteWorld, steps: Sequence[Step], offers: Sequence[Offer]) -> list[Visited]:
    """Return every state of a trajectory in which each step takes effect, entries in its fields included."""
    walker = Walker(site, offers=offers)
    seen = dict.fromkeys(walker.walk(tuple(steps)).seen)
    return [Visited(site.site, path, served(html)) for path, html in seen]


def _address(here: str, link: str) -> str:
    parts = urlsplit(urljoin(here, link))
    return f"{parts.path}?{parts.query}" if parts.query else parts.path
