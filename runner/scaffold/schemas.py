"""The JSON Schemas of the files of a site: `site.yaml` and `tasks.yaml`."""

import json
from collections.abc import Callable, Iterable, Mapping

from stressweb.core.json_schema import Json
from stressweb.plugins.site import Site
from stressweb.plugins.task_schema import tasks_schema
from stressweb.runner.registry import SITES
from stressweb.sites.kit import KitSite, site_schema

SCHEMAS: Mapping[str, Callable[[Iterable[Site]], Json]] = {
    "site": lambda sites: site_schema(site.kinds for site in sites if isinstance(site, KitSite)),
    "tasks": lambda _sites: tasks_schema(),
}
"""Functions that return the schema of a kind of file; `site.yaml` may use what these sites have."""


def text_of(kind: str) -> str:
    """Return the text of a schema that covers all sites, including loaded ones."""
    return json.dumps(SCHEMAS[kind](SITES.get(name) for name in SITES.names()), indent=2) + "\n"
