"""What turns a site's spec and a world seed into a site."""

from sites.kit.catalogue import load, names, tasks
from sites.kit.forms import MissingError, RefusedError
from sites.kit.world import KitWorld

__all__ = ["KitWorld", "MissingError", "RefusedError", "load", "names", "tasks"]
