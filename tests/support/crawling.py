"""Worlds of the sites, and visitors of them."""

from functools import cache

from werkzeug.datastructures import MultiDict

from stressweb.plugins.site_world import SiteWorld
from stressweb.plugins.steps import Step
from stressweb.sites import kit
from stressweb.walking.walker import Walker

SITES = kit.names()
PERSONAS = {"shop": "saver"}
"""The persona of the visitor, for sites where people sign in."""


@cache
def site(name: str, seed: int) -> kit.KitWorld:
    """Return the world of a site at a seed; cached."""
    return kit.load(name, seed)


def sign_in(world: SiteWorld, persona: str) -> tuple[Step, ...]:
    """Return the steps by which a person signs in; none for a visitor."""
    if not persona:
        return ()
    labels = world.labels
    person = next(customer for customer in world.entities["Customer"] if customer.persona == persona)
    return (
        Step(verb="open", target=labels["link_sign_in"]),
        Step(verb="enter", target=labels["email"], value=person.id),
        Step(verb="enter", target=labels["password"], value=person.password),
        Step(verb="press", target=labels["do_sign_in"]),
    )


def visitor(name: str, seed: int, persona: str = "") -> Walker:
    """Return a walker on a site's first page, signed in as a persona if there is one."""
    walker = Walker(site(name, seed))
    return walker.walk(sign_in(walker.world, persona))


def send(walker: Walker, action: str, /, **fields: object) -> str:
    """Send the form of an action with the page's token; return the HTML of the page after it.

    A list as a field is sent as several values. The site leads back to the first page unless `back` says otherwise.
    """
    world = walker.world
    assert isinstance(world, kit.KitWorld)
    form_data = MultiDict({"back": "/", **fields})
    walker.renew_token(form_data)
    walker.post(world.spec.actions[action].path, form_data)
    return walker.html
