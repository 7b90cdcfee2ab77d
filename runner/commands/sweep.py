"""`stressweb sweep`: runs the experiment in a file, prints its table and writes its report."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from stressweb.runner.api.start import Experiment, read_experiment
from stressweb.runner.commands.run import execute, fields_of, place_of


def sweep(file: Path, options: Mapping[str, Any], explicit_names: Collection[str]) -> int:
    """Run the experiment in a file; return 1 if an episode ended with status error or was not run, else 0.

    Options in `explicit_names` replace the file's entries. Raises UserError before anything is written; for a mistake
    in the file, with its line.
    """
    changes = fields_of(options, explicit_names)

    def make() -> Experiment:
        return read_experiment(file, options["sets"], changes)

    return execute(make, place_of(options), None, options, report=True)
