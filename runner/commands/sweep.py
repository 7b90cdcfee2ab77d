"""`stressweb sweep`: an experiment from a file, its table and its report."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from runner.api.start import Experiment, read_experiment
from runner.commands.run import execute, fields_of, place_of


def sweep(file: Path, options: Mapping[str, Any], given: Collection[str]) -> int:
    """Run the experiment that a file states; returns 1 if an episode ended in error or was not run, else 0.

    Options in `given` replace the file's entries. Raises UserError, with file and line where the file is
    wrong, before anything is made or changed.
    """
    changes = fields_of(options, given)

    def make() -> Experiment:
        return read_experiment(file, options["sets"], changes)

    return execute(make, place_of(options), None, options, report=True)
