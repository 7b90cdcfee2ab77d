"""What turns a site's spec and a world seed into a site."""

from sites.kit.catalogue import KitSite, load, names, tasks
from sites.kit.data import Drawing
from sites.kit.refusals import MissingError, RefusedError
from sites.kit.visit import Visit
from sites.kit.world import KitWorld

__all__ = ["Drawing", "KitSite", "KitWorld", "MissingError", "RefusedError", "Visit", "load", "names", "tasks"]
