"""The cast: who lives in a world, on whatever site they are met."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from stressweb.core import draws
from stressweb.core.yaml_models import load
from stressweb.sites.kit.data.drawing import Drawing, faker
from stressweb.sites.kit.folder import KIT
from stressweb.sites.kit.wording.slugs import slug

_MET = 110
"""How many may be met on any site; the rest of them are strangers until a goal names them."""
_ALL = 160
"""People of different first names."""
_TWINS = 40
"""People after them who are easily taken for one of those who are met."""

type Person = Mapping[str, Any]


def cast(drawing: Drawing) -> list[Person]:
    """Return everybody who may be met; the first is who the world is about, and the last look like others."""
    everybody = _cast(drawing.key[-1])
    return [*everybody[:_MET], *everybody[_ALL:]]


def strangers(drawing: Drawing) -> list[Person]:
    """Return people whom nobody knows yet."""
    return list(_cast(drawing.key[-1])[_MET:_ALL])


@lru_cache(maxsize=16)
def _cast(seed: draws.Part) -> tuple[Person, ...]:
    """Return all people of a world seed; the site is no part of the key."""
    cast = _Cast(seed)
    return (*(cast.person(number) for number in range(_ALL)), *(cast.twin(number) for number in range(_TWINS)))


class _Cast:
    def __init__(self, seed: draws.Part) -> None:
        self.seed, self.fake, self.taken = seed, faker(), set[str]()
        self.words: Mapping[str, list[str]] = load(KIT / "corpora" / "people.yaml")
        self.names: list[tuple[str, str]] = []
        roads = load(KIT / "corpora" / "town.yaml")
        every = sorted({f"{stem} {kind}" for stem in roads["stems"] for kind in roads["kinds"]})
        self.streets = draws.Keyed("people", seed).shuffled(every, "streets")

    def pick(self, what: str, number: int) -> str:
        return draws.pick(self.words[what], "people", self.seed, what, number)

    def faked(self, kind: str) -> str:
        return str(getattr(self.fake, kind)()).replace("\n", ", ")

    def other_than(self, kind: str, name: str) -> str:
        """Return a first or last name that differs from another, so that nobody is called Thomas Thomas."""
        return next(other for other in iter(lambda: self.faked(kind), "") if other != name)

    def begin(self, number: int) -> None:
        """Draw somebody new: what Faker gives depends on nobody before them."""
        # A draw has 53 bits, so this loses none.
        self.fake.seed_instance(int(draws.unit("people", self.seed, number) * (1 << 53)))

    def person(self, number: int) -> Person:
        """Return somebody of a first name of their own; every eleventh has a long name."""
        self.begin(number)
        known = {first for first, _ in self.names}
        first = next(name for name in iter(lambda: self.faked("first_name"), "") if name not in known)
        last = self.other_than("last_name", first)
        self.names.append((first, last))
        if number % 11 == 10:
            return self.row(number, f"{first} {self.pick('middle', number)}", f"{last}-{self.faked('last_name')}")
        return self.row(number, first, last)

    def twin(self, number: int) -> Person:
        """Return somebody who shares the last name or the first with one of those who are met."""
        self.begin(_ALL + number)
        first, last = self.names[number * 2]
        if number % 2:
            return self.row(_ALL + number, first, self.other_than("last_name", first))
        return self.row(_ALL + number, self.other_than("first_name", last), last)

    def row(self, number: int, first: str, last: str) -> Person:
        """Return a person of a name, with everything that sites ask people for."""
        handle = slug(f"{first} {last}").replace("-", ".")
        # Two may bear the same name, and an address belongs to one.
        handle = handle if handle not in self.taken else f"{handle}{number}"
        self.taken.add(handle)
        digits = 100 + int(draws.unit("people", self.seed, "digits", number) * 9900)
        return {
            "id": f"{handle}@{self.pick('providers', number)}",
            "name": f"{first} {last}",
            "first": first,
            "last": last,
            "password": f"{self.pick('words', number)}-{digits}",
            "phone": f"555-01-{1000 + (digits * 7 + number) % 9000}",
            "employer": self.pick("employers", number),
            "job": self.pick("jobs", number),
            **self.place(number, "home"),
            **{f"work_{name}": text for name, text in self.place(number, "work").items()},
        }

    def place(self, number: int, what: str) -> dict[str, str]:
        """Return where somebody lives or works; no two places of a world are in one street."""
        street = self.streets[2 * number + (what == "work")]
        # Of two digits, so that no address is a part of another: 2 Elm Row is in 12 Elm Row.
        house = 10 + int(draws.unit("people", self.seed, what, "house", number) * 90)
        city = draws.pick(self.words["towns"], "people", self.seed, what, "town", number)
        return {"street": f"{house} {street}", "city": city, "postcode": self.faked("postcode")}
