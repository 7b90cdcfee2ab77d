"""What turns a site's spec and a world seed into a site."""

from sites.kit.catalogue import KitSite, load, names, tasks
from sites.kit.refusals import MissingError, RefusedError
from sites.kit.world import KitWorld

__all__ = ["KitSite", "KitWorld", "MissingError", "RefusedError", "load", "names", "tasks"]
