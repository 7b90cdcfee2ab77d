"""Expectations in a small shop."""

import sqlite3
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import TypeAdapter

from stressweb.core.entity import Entity
from stressweb.plugins.expect import Expect
from stressweb.plugins.expected import Expected
from tests.support.toy import Toy

NAMES: dict[str, Any] = {
    "one": Entity(id="p1", name="Lamp {a}", price=5),
    "two": Entity(id="p2", name="Chair", price=7),
    "both": (Entity(id="p1"), Entity(id="p2")),
    "home": Entity(id="h", street="1 Elm Road", city="Ayr", owner="ann"),
}

START: dict[str, list[dict[str, Any]]] = {
    "product": [
        {"id": "p1", "name": "Lamp", "price": 5, "about": "# Light\n\nIt shines.", "words": 3},
        {"id": "p2", "name": "Chair", "price": 7, "about": "", "words": 0},
    ],
    "cart": [{"id": "bob/p2", "owner": "bob", "product": "p2", "quantity": 3}],
    "orders": [{"id": "1", "owner": "bob", "street": "x", "city": "y", "placed": "then"}],
    "line": [{"id": "1/p2", "order": "1", "product": "p2"}],
    "event": [{"id": "0", "kind": "start"}],
}


class Shop(Toy):
    """Four tables, a log, and visitors named guest-1, guest-2 ..."""

    generated: Mapping[str, frozenset[str]] = {
        "cart": frozenset({"id"}),
        "orders": frozenset({"id", "placed"}),
        "line": frozenset({"id"}),
    }
    derived: Mapping[str, frozenset[str]] = {"product": frozenset({"words"})}
    marked_up: Mapping[str, frozenset[str]] = {"product": frozenset({"about"})}
    uncounted = frozenset({"event"})

    def __init__(self) -> None:
        """Make the database."""
        connection = sqlite3.connect(":memory:")
        for table, rows in START.items():
            columns = ", ".join(f'"{name}"' + (" TEXT PRIMARY KEY" if name == "id" else "") for name in rows[0])
            connection.execute(f'CREATE TABLE "{table}" ({columns})')
            for row in rows:
                marks = ", ".join("?" for _ in row)
                connection.execute(f'INSERT INTO "{table}" VALUES ({marks})', [*row.values()])
        connection.commit()
        self.template = connection.serialize()

    def is_guest(self, owner: object) -> bool:
        """Say who is a visitor."""
        return str(owner).startswith("guest-")


SHOP = Shop()


def expected(pattern: Any) -> Expected:
    """Return an expectation in the shop above."""
    return Expected(TypeAdapter(Expect).validate_python(pattern), SHOP, NAMES)


def rows(values: Iterable[tuple[str, str, int]]) -> tuple[Entity, ...]:
    named = enumerate(values)
    return tuple(
        Entity(id=str(number), owner=owner, product=product, quantity=quantity)
        for number, (owner, product, quantity) in named
    )
