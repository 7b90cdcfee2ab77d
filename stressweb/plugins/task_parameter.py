"""Parameters of a task, drawn from the world seed; the entries of `given` in its file."""

from collections.abc import Mapping, Sequence
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, model_validator

from stressweb.core import draws
from stressweb.core.entity import Entity
from stressweb.core.templates import Bound, Scalar, matching, ordered
from stressweb.plugins.site_world import SiteWorld


class Given(BaseModel):
    """A parameter drawn from the world seed: exactly one of pick, all, label, choice and between."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    pick: str | None = None
    """Entity from which one row is drawn, or the row at `nth` in `order` is taken."""
    all: str | None = None
    """Entity from which every matching row is taken."""
    label: tuple[str, ...] | None = None
    """Label keys from which one is drawn: its `id` is the key, its `name` this seed's wording, its `value` the part of
    the key after the last underscore ("4" for stars_4)."""
    choice: tuple[Scalar, ...] | None = None
    between: tuple[int, int] | None = None
    where: dict[str, Scalar | Bound] = {}
    order: tuple[str, ...] = ()
    """Columns to sort by; a leading minus sorts downwards."""
    nth: int | None = None
    """Position in `order`: 1 is the first row, -1 the last."""
    count: tuple[int, int] | None = None
    """Smallest and largest number of matching rows for the draw to be accepted."""

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        kinds = ("pick", "all", "label", "choice", "between")
        if sum(getattr(self, kind) is not None for kind in kinds) != 1:
            raise ValueError(f"needs exactly one of {', '.join(kinds)}")
        if self.nth == 0:
            raise ValueError("nth counts from 1, or from -1 at the end")
        return self

    def draw(self, world: SiteWorld, names: Mapping[str, Any], *key: draws.Part) -> Any:
        """Return the drawn value, or None if nothing in this world matches."""
        if self.label is not None:
            chosen = draws.pick(self.label, *key)
            # Checks need both: pages show the wording, which differs between seeds, and the database has the value.
            return Entity(id=chosen, name=world.labels[chosen], value=chosen.rpartition("_")[2])
        if self.choice is not None:
            return draws.pick(self.choice, *key)
        if self.between is not None:
            low, high = self.between
            # Both ends are included; a draw is below 1, so the sum never exceeds `high`.
            return low + int(draws.unit(*key) * (high - low + 1))
        rows = self._matching(world.entities, names)
        # The task then draws everything again, because an earlier draw may have left too few rows.
        if rows is None:
            return None
        if self.all is not None:
            return tuple(rows)
        if self.nth is None:
            return draws.pick(rows, *key)
        return rows[self.nth - 1 if self.nth > 0 else self.nth] if abs(self.nth) <= len(rows) else None

    def still_holds(self, entities: Mapping[str, Sequence[Entity]], names: Mapping[str, Any], drawn: Any) -> bool:
        """Return whether `drawn` could still be drawn from `entities`."""
        if self.pick is None and self.all is None:
            return True
        rows = self._matching(entities, names)
        if rows is None:
            return False
        keys = [_key(row) for row in rows]
        if self.all is not None:
            return keys == [_key(row) for row in drawn]
        if self.nth is None:
            return _key(drawn) in keys
        return keys[self.nth - 1 if self.nth > 0 else self.nth :][:1] == [_key(drawn)]

    def _matching(self, entities: Mapping[str, Sequence[Entity]], names: Mapping[str, Any]) -> list[Entity] | None:
        """Return the matching rows, in order; None if there are too few or too many."""
        # `names` has earlier draws, so that a condition can refer to them: another product of the same brand.
        rows = matching(entities[self.pick or self.all or ""], self.where, names)
        low, high = self.count or (1, len(rows))
        return ordered(rows, self.order) if low <= len(rows) <= high else None


def _key(row: Entity) -> Any:
    return row.get("id", row)
