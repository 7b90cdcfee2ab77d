"""What turns a site's spec and a world seed into a site. Other packages import from here, not from its modules."""

from sites import names
from sites.kit.catalogue import KitSite, load, shipped_site, tasks
from sites.kit.data import Drawing
from sites.kit.kinds import KIT
from sites.kit.refusals import MissingError, RefusedError
from sites.kit.schema import site_schema
from sites.kit.visit import Visit
from sites.kit.world import KitWorld

__all__ = [
    "KIT", "Drawing", "KitSite", "KitWorld", "MissingError", "RefusedError", "Visit", "load", "names", "shipped_site",
    "site_schema", "tasks",
]  # fmt: skip
