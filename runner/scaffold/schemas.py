"""The JSON Schemas of the files of a site: `site.yaml` and `tasks.yaml`."""

import json
from collections.abc import Callable, Iterable, Mapping

from runner.registry import SITES
from sites.kit import KitSite, site_schema
from stressweb.core.json_schema import Json
from stressweb.plugins.site import Site
from stressweb.plugins.task_schema import tasks_schema

SCHEMAS: Mapping[str, Callable[[Iterable[Site]], Json]] = {
    "site": lambda sites: site_schema(site.kinds for site in sites if isinstance(site, KitSite)),
    "tasks": lambda _sites: tasks_schema(),
}
"""What each kind of file may say. The widgets, parts and fields of a `site.yaml` are those that these sites have."""


def text_of(kind: str) -> str:
    """Return a schema as a file holds it, with the words of all sites, also of those that were loaded."""
    return json.dumps(SCHEMAS[kind](SITES.get(name) for name in SITES.names()), indent=2) + "\n"
