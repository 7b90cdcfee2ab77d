"""Worlds of the sites, and a crawl through them."""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from urllib.parse import urljoin, urlsplit

from sites import kit
from stressweb.plugins.site import SiteWorld
from stressweb.plugins.task import Step
from tests.sites.walker import Walker

SITES = kit.names()
PERSONAS = {"shop": "saver"}
"""As whom a site is looked at, where there are people to sign in as."""


@cache
def site(name: str, seed: int) -> kit.KitWorld:
    """Return a site at a seed, made once."""
    return kit.load(name, seed)


def sign_in(world: SiteWorld, persona: str) -> tuple[Step, ...]:
    """Return the steps by which a person signs in; none for a visitor."""
    if not persona:
        return ()
    labels = world.labels
    person = next(one for one in world.entities["Customer"] if one.persona == persona)
    return (
        Step(verb="open", target=labels["link_sign_in"]),
        Step(verb="enter", target=labels["email"], value=person.id),
        Step(verb="enter", target=labels["password"], value=person.password),
        Step(verb="press", target=labels["do_sign_in"]),
    )


def visitor(name: str, seed: int, persona: str = "") -> Walker:
    """Return a walker on a site's first page, as somebody who is signed in if there is such a persona."""
    walker = Walker(site(name, seed))
    return walker.walk(sign_in(walker.world, persona))


def crawl(walker: Walker, limit: int = 60, most: int = 12) -> Iterator[Walker]:
    """Yield the walker on every page that links lead to, at most so many in all and so many of one kind."""
    queue, seen, kinds = ["/"], {"/"}, Counter[str]()
    while queue and limit:
        here = queue.pop(0)
        walker.get(here)
        limit -= 1
        yield walker
        for link in walker.page.xpath("//a[@href]"):
            parts = urlsplit(urljoin(here, link.get("href")))
            address = parts.path + (f"?{parts.query}" if parts.query else "")
            kind = parts.path.split("/")[1]
            if address not in seen and kinds[kind] < most:
                kinds[kind] += 1
                seen.add(address)
                queue.append(address)
