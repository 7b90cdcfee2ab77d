"""The base of every site: its worlds, its tasks, and its checkpoints."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from stressweb.plugins.checks import Checklist
from stressweb.plugins.site_world import SiteWorld
from stressweb.plugins.task import Task


class Site(ABC):
    """A site in the registry: its worlds, its tasks, and the checkpoints that grade them.

    Set `name` and implement the methods below. For a site from a spec, `stressweb.sites.kit.KitSite` implements them
    all. One instance serves the whole process.
    """

    name: str
    """Name of the site; ids of its tasks begin with it, such as `shop/profile`."""

    @abstractmethod
    def world(self, seed: int) -> SiteWorld:
        """Return the site at a world seed; raises UserError for a malformed spec."""

    @abstractmethod
    def tasks(self) -> Sequence[Task]:
        """Return the tasks, in the order of the file; raises UserError for a malformed file."""

    @abstractmethod
    def checklist(self) -> Checklist:
        """Return the checkpoints of all tasks."""

    @abstractmethod
    def sources(self) -> Mapping[str, str]:
        """Return the source of each module by its name, the module with the checkpoints first.

        It is part of the identity of every cell: a changed checkpoint changes the cell.
        """
