"""Expectations of a chain's parts about the databases of several sites."""

from collections.abc import Mapping

from stressweb.plugins.chain_world import ChainWorld, parted
from stressweb.plugins.comparison import Outcome, Unmet
from stressweb.plugins.database import Key, TableChange
from stressweb.plugins.expected import Expected


class JointExpected(Expected):
    """The expectations about each site; on a site without expectations, every change is a harm."""

    def __init__(self, world: ChainWorld, sites: Mapping[str, Expected]) -> None:
        """Take the world of the chain, and the expectations by site."""
        super().__init__({}, world, {})
        self._sites = {
            site_world.site: sites.get(site_world.site) or Expected({}, site_world, {}) for site_world in world.parts
        }

    def __bool__(self) -> bool:
        """Whether any part changes anything."""
        return any(self._sites.values())

    def named(self, table: str) -> tuple[frozenset[str], Mapping[Key, frozenset[str]]]:
        """Return the columns with expected values, as for one site; the table's name is prefixed by the site."""
        site, _, name = table.partition(".")
        return self._sites[site].named(name)

    def touched(self) -> set[tuple[str, Key]]:
        """Return the initial rows to alter or remove, by table (prefixed by the site) and key."""
        return {(f"{site}.{table}", key) for site, expected in self._sites.items() for table, key in expected.touched()}

    def compare(self, tables: Mapping[str, TableChange]) -> Outcome:
        """Compare an episode's changes with the expectations, site by site."""
        joint = Outcome()
        for site, expected in self._sites.items():
            outcome = expected.compare(parted(tables, site))
            joint.missing += [
                Unmet(f"{site}.{unmet.table}", f"{site}: {unmet}", unmet.column) for unmet in outcome.missing
            ]
            joint.harms += [f"{site}: {words}" for words in outcome.harms]
            # Parts are numbered within the chain, so no two sites share a number.
            joint.rows = {**joint.rows, **outcome.rows}
        return joint
