"""The JSON Schema of experiment files, by which an editor completes and checks them."""

import json

from runner.experiment.experiment import Experiment
from scripts.docs.markers import ROOT
from scripts.docs.parts import field_docs

PATH = ROOT / "experiments" / "schema.json"


def schema() -> str:
    """Return the schema as text; each entry has the description that stands in the code."""
    found = Experiment.model_json_schema()
    described = field_docs(Experiment)
    for name, entry in found["properties"].items():
        entry["description"] = described[name]
    return json.dumps({"$schema": "https://json-schema.org/draft/2020-12/schema", **found}, indent=2) + "\n"


def write() -> None:
    """Write the schema beside the experiment files."""
    PATH.write_text(schema(), encoding="utf-8")
