"""A site that `stressweb new` writes, and the walks of its tasks."""

from collections.abc import Callable

from stressweb.runner.verify.walks import TaskWalks
from stressweb.sites.kit import KitSite

type Break = Callable[..., KitSite]


def walks(site: KitSite, task: str, seed: int = 0, kind: type[TaskWalks] = TaskWalks) -> TaskWalks:
    """Return the walks of a task of the site."""
    world = site.world(seed)
    (site_task,) = (candidate for candidate in site.tasks() if candidate.id == f"demo/{task}")
    return kind(site_task.goal(world), world, site.checklist())
