"""The JSON Schemas of the files that users write: `site.yaml`, `tasks.yaml`, and experiment files."""

import json
from collections.abc import Callable, Iterable, Mapping

from runner.plan.experiment import Experiment
from runner.registry import SITES
from sites.kit import KitSite, site_schema
from stressweb.core.field_docs import field_docs
from stressweb.core.json_schema import DIALECT, Json
from stressweb.plugins.site import Site
from stressweb.plugins.task_schema import tasks_schema


def experiment_schema() -> Json:
    """Return the schema of an experiment file; each entry has the description that stands in the code."""
    found = Experiment.model_json_schema()
    described = field_docs(Experiment)
    for name, entry in found["properties"].items():
        entry["description"] = described[name]
    return {"$schema": DIALECT, **found}


SCHEMAS: Mapping[str, Callable[[Iterable[Site]], Json]] = {
    "site": lambda sites: site_schema(site.kinds for site in sites if isinstance(site, KitSite)),
    "tasks": lambda _sites: tasks_schema(),
    "experiment": lambda _sites: experiment_schema(),
}
"""What each kind of file may say. The widgets, parts and fields of a `site.yaml` are those that these sites have."""


def text_of(kind: str) -> str:
    """Return a schema as a file holds it, with the words of all sites, also of those that were loaded."""
    return json.dumps(SCHEMAS[kind](SITES.get(name) for name in SITES.names()), indent=2) + "\n"
