"""`stressweb schema`: prints the JSON Schema of a kind of file, for editors."""

import json
from pathlib import Path

from stressweb.core.errors import UserError
from stressweb.core.field_docs import field_docs
from stressweb.core.json_schema import DIALECT
from stressweb.core.whole_file import write_atomically
from stressweb.runner.api.start import Experiment
from stressweb.runner.commands.output import say
from stressweb.runner.scaffold import schemas


def text_of(kind: str) -> str:
    """Return the schema of a kind of file, `site`, `tasks` or `experiment`, as the text of a file."""
    return _experiment() if kind == "experiment" else schemas.text_of(kind)


def _experiment() -> str:
    """Return the schema of an experiment file, with descriptions from the code."""
    schema_fields = Experiment.model_json_schema()
    described = field_docs(Experiment)
    for name, entry in schema_fields["properties"].items():
        entry["description"] = described[name]
    return json.dumps({"$schema": DIALECT, **schema_fields}, indent=2) + "\n"


def schema(kind: str, output: Path | None) -> int:
    """Print a schema, or write it to a file; raises UserError if the file cannot be written."""
    text = text_of(kind)
    if output is None:
        say(text.rstrip("\n"))
        return 0
    try:
        write_atomically(output, text)
    except OSError as error:
        raise UserError(f"{output} cannot be written: {error.strerror}") from error
    say(str(output))
    return 0
