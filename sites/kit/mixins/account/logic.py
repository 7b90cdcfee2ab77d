"""Signing in, signing out and registering."""

from collections.abc import Mapping
from typing import Any

from stressweb.core.entity import Entity
from stressweb.core.templates import fill
from stressweb.sites.kit.refusals import RefusedError
from stressweb.sites.kit.serving.visit import Visit, with_first_name
from stressweb.sites.kit.spec.site import People


def sign_in(visit: Visit) -> Mapping[str, Any]:
    """Sign a person in; the next page is the one that required it. Raises RefusedError for wrong credentials."""
    # Keys are in lower case, as `register` writes them, but people type capitals in email addresses.
    person = visit.store.one(_people(visit).entity, visit.values["email"].lower())
    if person is None or person.password != visit.values["password"]:
        # As on real sites, the message does not reveal whether the address is unknown or the password wrong.
        raise RefusedError("error_password")
    return _enter(visit, person)


def sign_out(visit: Visit) -> None:
    """Sign the person out."""
    visit.session.renew("")


def register(visit: Visit) -> Mapping[str, Any]:
    """Create an account and sign the new person in; raises RefusedError if the email address is taken."""
    people = _people(visit)
    key = visit.values["email"].lower()
    if visit.store.one(people.entity, key) is not None:
        raise RefusedError("error_taken", "email")
    columns = visit.spec.entities[people.entity].stored
    entered = {name: value for name, value in visit.values.items() if name in columns}
    new = {name: fill(value, visit.names) if isinstance(value, str) else value for name, value in people.new.items()}
    # Give every column a value, because tasks state all columns of an added row.
    row = Entity(dict.fromkeys(columns, "") | new | entered | {"id": key})
    visit.store.put(people.entity, row)
    return _enter(visit, row)


def _people(visit: Visit) -> People:
    people = visit.spec.people
    assert people is not None, "the mixin is used by sites that have people"
    return people


def _enter(visit: Visit, person: Entity) -> Mapping[str, Any]:
    visit.names["person"] = person
    if enters := _people(visit).enters:
        visit.world.logic(enters)(visit)
    visit.session.renew(person.id)
    return {"me": with_first_name(person), "return_to": visit.session.take("return_to", "/")}
