"""What the parts of a chain expect of the databases of several sites."""

from collections.abc import Mapping

from stressweb.plugins.chain_world import ChainWorld, parted
from stressweb.plugins.comparison import Outcome, Unmet
from stressweb.plugins.database import Key, TableChange
from stressweb.plugins.expected import Expected


class JointExpected(Expected):
    """What is expected of each site; of a site of which nothing is expected, every change is harm."""

    def __init__(self, world: ChainWorld, sites: Mapping[str, Expected]) -> None:
        """Take the sites of the chain and what is expected of each."""
        super().__init__({}, world, {})
        self._sites = {
            site_world.site: sites.get(site_world.site) or Expected({}, site_world, {}) for site_world in world.parts
        }

    def __bool__(self) -> bool:
        """Whether any part asks for any change at all."""
        return any(self._sites.values())

    def named(self, table: str) -> tuple[frozenset[str], Mapping[Key, frozenset[str]]]:
        """Return which columns of a table are named, as for one site; the name of the table begins with the site."""
        site, _, name = table.partition(".")
        return self._sites[site].named(name)

    def touched(self) -> set[tuple[str, Key]]:
        """Return the rows of the start that are to be altered or removed, each by site and table, and by key."""
        return {(f"{site}.{table}", key) for site, expected in self._sites.items() for table, key in expected.touched()}

    def compare(self, tables: Mapping[str, TableChange]) -> Outcome:
        """Compare the changes of an episode with what is expected, site by site."""
        whole = Outcome()
        for site, expected in self._sites.items():
            outcome = expected.compare(parted(tables, site))
            whole.missing += [
                Unmet(f"{site}.{unmet.table}", f"{site}: {unmet}", unmet.column) for unmet in outcome.missing
            ]
            whole.harms += [f"{site}: {words}" for words in outcome.harms]
            # The numbers of parts are those of the chain, so no two sites have the same.
            whole.rows = {**whole.rows, **outcome.rows}
        return whole
