"""The people of a world, who are the same on all sites."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from stressweb.core import draws
from stressweb.core.yaml_models import load
from stressweb.sites.kit.data.drawing import Drawing, faker
from stressweb.sites.kit.folder import KIT
from stressweb.sites.kit.wording import phones
from stressweb.sites.kit.wording.slugs import slug

_MET = 110
"""Number of people who may appear on sites; the others are strangers until a goal names them."""
_ALL = 160
"""Number of people with different first names."""
_TWINS = 40
"""Number of further people who are easily confused with those on sites."""

type Person = Mapping[str, Any]


def cast(drawing: Drawing) -> list[Person]:
    """Return all people who may appear on sites: the world's own person first, and namesakes of others last."""
    everybody = _cast(drawing.key[-1])
    return [*everybody[:_MET], *everybody[_ALL:]]


def strangers(drawing: Drawing) -> list[Person]:
    """Return the people who do not appear on sites."""
    return list(_cast(drawing.key[-1])[_MET:_ALL])


@lru_cache(maxsize=16)
def _cast(seed: draws.Part) -> tuple[Person, ...]:
    """Return all people of a world seed; the site is not in the key, so they are the same everywhere."""
    cast = _Cast(seed)
    return (*(cast.person(number) for number in range(_ALL)), *(cast.twin(number) for number in range(_TWINS)))


class _Cast:
    def __init__(self, seed: draws.Part) -> None:
        self.seed, self.fake, self.used_handles = seed, faker(), set[str]()
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
        """Return a first or last name that differs from `name`; without this, there are people called Thomas Thomas."""
        return next(other for other in iter(lambda: self.faked(kind), "") if other != name)

    def begin(self, number: int) -> None:
        """Seed Faker for a person, so that the person does not depend on earlier ones."""
        # A draw has 53 bits; the seed keeps all of them.
        self.fake.seed_instance(int(draws.unit("people", self.seed, number) * (1 << 53)))

    def person(self, number: int) -> Person:
        """Return a person with a first name that no other has; every eleventh has a long name."""
        self.begin(number)
        known = {first for first, _ in self.names}
        first = next(name for name in iter(lambda: self.faked("first_name"), "") if name not in known)
        last = self.other_than("last_name", first)
        self.names.append((first, last))
        if number % 11 == 10:
            return self.row(number, f"{first} {self.pick('middle', number)}", f"{last}-{self.faked('last_name')}")
        return self.row(number, first, last)

    def twin(self, number: int) -> Person:
        """Return a person who shares the first or last name of a person on sites."""
        self.begin(_ALL + number)
        first, last = self.names[number * 2]
        if number % 2:
            return self.row(_ALL + number, first, self.other_than("last_name", first))
        return self.row(_ALL + number, self.other_than("first_name", last), last)

    def row(self, number: int, first: str, last: str) -> Person:
        """Return a person with a name, and with all columns that sites need."""
        handle = slug(f"{first} {last}").replace("-", ".")
        # Two people may have the same name, but not the same email address.
        handle = handle if handle not in self.used_handles else f"{handle}{number}"
        self.used_handles.add(handle)
        digits = 100 + int(draws.unit("people", self.seed, "digits", number) * 9900)
        return {
            "id": f"{handle}@{self.pick('providers', number)}",
            "name": f"{first} {last}",
            "first": first,
            "last": last,
            "password": f"{self.pick('words', number)}-{digits}",
            "phone": self.phone(number),
            "employer": self.pick("employers", number),
            "job": self.pick("jobs", number),
            **self.place(number, "home"),
            **{f"work_{name}": text for name, text in self.place(number, "work").items()},
        }

    def phone(self, number: int) -> str:
        """Return a telephone number that no other person of the world has; most are of mobiles."""
        city = int(draws.unit("people", self.seed, "city", number) * phones.LANDLINES / 1000)
        # 387 and 1,000 have no common divisor, so the last three digits differ.
        digits = int(draws.unit("people", self.seed, "phone") * 1000) + 387 * number
        return (phones.mobile if number % 3 else phones.landline)(city * 1000 + digits % 1000)

    def place(self, number: int, what: str) -> dict[str, str]:
        """Return the address where a person lives or works; no two addresses of a world are in the same street."""
        street = self.streets[2 * number + (what == "work")]
        # Two digits, so that no address is a part of another: 2 Elm Row is in 12 Elm Row.
        house = 10 + int(draws.unit("people", self.seed, what, "house", number) * 90)
        city = draws.pick(self.words["towns"], "people", self.seed, what, "town", number)
        return {"street": f"{house} {street}", "city": city, "postcode": self.faked("postcode")}
