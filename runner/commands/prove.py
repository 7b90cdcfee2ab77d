"""`stressweb prove`: proves that every task can be done under every mode, and prints a certificate."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from stressweb.core.whole_file import write_atomically
from stressweb.runner.api.start import Experiment, Place, play
from stressweb.runner.commands.output import say
from stressweb.runner.commands.progress import progress
from stressweb.runner.verify.certificate import HEAD, Certificate, certificate, headline, markdown, rows


def prove(options: Mapping[str, Any]) -> int:
    """Run the proof and print its certificate; return 1 if an episode failed or is missing.

    Raises UserError before anything is written.
    """
    pointer, severities = options["pointer"], options["severity"]
    agent = "resilient" if pointer == "selector" else f"resilient(pointer={pointer})"
    experiment = Experiment(
        agents=(agent,),
        tasks=tuple(filter(None, [options["task"]])),
        exclude=tuple(filter(None, [options["exclude"]])),
        conditions=tuple(f"all@{severity}" for severity in severities),
        seed=tuple(range(options["seeds"])),
        sample=options["limit"],
        shard=options["shard"],
        screenshots=False,
    )
    place = Place(options["name"], options["runs_dir"], options["resume"], options["workers"])
    with progress(quiet=options["as_json"]) as tally:
        carried_out = play(experiment, place, tally)
    proof = certificate(carried_out.folder)
    if options["output"]:
        write_atomically(options["output"], markdown(proof) + "\n")
    if options["as_json"]:
        say(json.dumps({"run": str(carried_out.folder), "proven": proof.proven, **asdict(proof)}, indent=2))
    else:
        _say(proof, carried_out.folder)
    return int(not proof.proven)


def _say(proof: Certificate, folder: Path) -> None:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for number, name in enumerate(HEAD):
        table.add_column(name, justify="right" if number else "left")
    for row in rows(proof):
        table.add_row(*row)
    console = Console()
    console.print(f" {headline(proof)}\n", highlight=False)
    console.print(table)
    for failure in proof.failed:
        say(f"failed: {failure}", err=True)
    console.print(f"\n {folder}", highlight=False, soft_wrap=True)
