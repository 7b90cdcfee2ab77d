"""The base of every site: its worlds, its tasks, and its checkpoints."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from stressweb.plugins.checks import Checklist
from stressweb.plugins.site_world import SiteWorld
from stressweb.plugins.task import Task


class Site(ABC):
    """A site as the registry knows it: its worlds, its tasks, and the checkpoints that grade them.

    Set `name` and write the members below. A site made of a spec needs none of this: `stressweb.sites.kit.KitSite`
    reads a folder. One instance serves the whole process.
    """

    name: str
    """Name of the site; the id of every task begins with it: `shop/profile`."""

    @abstractmethod
    def world(self, seed: int) -> SiteWorld:
        """Return the site at a world seed; raises UserError for a malformed spec."""

    @abstractmethod
    def tasks(self) -> Sequence[Task]:
        """Return the tasks, in their order; raises UserError for a malformed file."""

    @abstractmethod
    def checklist(self) -> Checklist:
        """Return the checkpoints of all tasks."""

    @abstractmethod
    def sources(self) -> Mapping[str, str]:
        """Return the source of the checkpoints by name of the module, the module with the checkpoints first.

        What it holds is part of the identity of every cell: a changed checkpoint makes another cell.
        """
