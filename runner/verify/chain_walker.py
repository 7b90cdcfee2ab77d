"""A walker for chains: the walkers of its sites walk the parts, as one episode."""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence

from stressweb.plugins.chain_world import ChainWorld, address_of, joined, parted
from stressweb.plugins.database import TableChange
from stressweb.plugins.offers import Offer
from stressweb.plugins.query import Run, State
from stressweb.plugins.steps import Step
from stressweb.plugins.task import Goal, Part
from stressweb.walking.walker import Steps, Walker


class ChainWalker(Steps):
    """An episode of a chain without a browser. Each site has its own walker, which stays on its page meanwhile."""

    def __init__(self, world: ChainWorld, offers: Iterable[Offer] = ()) -> None:
        """Open the first page of the chain's first site; `offers` are the files that can be uploaded."""
        self.world = world
        self._offers = tuple(offers)
        self._walkers: dict[str, Walker] = {}
        self._seen_pages: list[State] = []
        self._address = address_of(world)
        self._go(self._address)

    def do(self, step: Step) -> None:
        """Do one step; raises LostError if it cannot be done."""
        if step.verb == "go":
            self._go(step.target)
            return
        walker = self._walkers[self._address]
        walker.do(step)
        self._record_seen_pages(walker)

    def changes(self) -> dict[str, TableChange]:
        """Return the changes of all databases, with names of tables prefixed by their site."""
        return joined({walker.world.site: walker.changes() for walker in self._walkers.values()})

    def database(self, address: str) -> sqlite3.Connection | None:
        """Return the database of the site at an address; None if the site was not visited yet."""
        return self._walkers[address].database if address in self._walkers else None

    def run(self, goal: Goal, parts: Sequence[Part] = ()) -> Run:
        """Read the evidence of a chain, or of some of its parts, and return the episode."""
        changes = self.changes()
        paths = goal.paths(changes)
        parts = parts or goal.parts
        closings = {key: state for part in parts for key, state in self._evidence(part, paths, changes)}
        return Run([*self._seen_pages], closings, changes)

    def _evidence(
        self, part: Part, of_chain: Mapping[str, str], changes: dict[str, TableChange]
    ) -> Iterator[tuple[str, State]]:
        owner, paths = part.goal.owner(parted(changes, part.site)), part.paths(of_chain)
        pages = {state.url: state for state in self._walker(part.address).evidence({*paths.values()}, owner)}
        for name, path in paths.items():
            yield part.key(name), pages[path]

    def _walker(self, address: str) -> Walker:
        if address not in self._walkers:
            site = next(site_world for site_world in self.world.parts if address_of(site_world) == address)
            self._walkers[address] = Walker(site, offers=self._offers)
        return self._walkers[address]

    def _go(self, address: str) -> None:
        new = address not in self._walkers
        walker = self._walker(address)
        if not new:
            walker.get("/")
        self._address = address
        self._record_seen_pages(walker)

    def _record_seen_pages(self, walker: Walker) -> None:
        # A step may load several pages; all count as seen.
        for path, html in walker.seen:
            self._seen_pages.append(State(self._address.rstrip("/") + path, html))
        walker.seen.clear()
