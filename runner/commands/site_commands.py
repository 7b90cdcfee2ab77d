"""The commands for sites: `new`, `verify`, `prove`, `gallery`, `schema`."""

from pathlib import Path
from typing import Any

import click

from stressweb.runner.commands.options import debugging, loading, option, resume, run_options
from stressweb.runner.verify.part_names import PARTS


@click.command("new")
@click.argument("name")
@option("--folder", type=click.Path(path_type=Path), default=Path(), help="Parent folder of the new site's folder.")
@option(
    "--from",
    "source",
    type=click.Path(path_type=Path, dir_okay=False),
    default=None,
    help="File with a description of the site: a language model drafts the site, until verify accepts it.",
)
@option("--model", default=None, help="Language model that drafts the site.")
@option(
    "--base-url",
    default=None,
    help="URL of the model's endpoint, instead of OPENAI_BASE_URL; the key is read from OPENAI_API_KEY.",
)
@option(
    "--attempts",
    type=click.IntRange(0, 50),
    default=5,
    help="How often the problems of each of the three drafts go back to the model.",
)
@debugging
def new_command(
    name: str, folder: Path, source: Path | None, model: str | None, base_url: str | None, attempts: int
) -> int:
    """Write a small working site to build on, or have a language model draft one."""
    from stressweb.runner.commands.new import draft, new  # noqa: PLC0415 - keeps help fast

    return draft(name, folder, source, model, base_url, attempts) if source else new(name, folder)


@click.command("verify")
@click.argument("site")
@option("--seeds", type=click.IntRange(1, 1000), default=3, help="Number of worlds, from world seed 0 on.")
@option("--workers", type=click.IntRange(min=1), default=None, help="Worker processes (default: one per core).")
@option("--part", type=click.Choice(PARTS), multiple=True, help="Prove this part alone. Repeatable (default: all).")
@option("--cases", is_flag=True, help="Generate and prove the site's test cases, and write its cases.yaml.")
@run_options
def verify_command(
    site: str, seeds: int, workers: int | None, part: tuple[str, ...], runs_dir: Path, as_json: bool, cases: bool
) -> int:
    """Verify a site: its tasks, checkpoints and pages.

    SITE is a name from `stressweb list sites`, or the folder of a site.
    """
    from stressweb.runner.commands.verify import verify  # noqa: PLC0415 - keeps help fast

    return verify(site, seeds, runs_dir, workers, as_json=as_json, cases=cases, only=part)


@click.command("prove")
@option("--task", default=None, help="Tasks or patterns, separated by commas: shop/* (default: all).")
@option("--exclude", default=None, help="Tasks or patterns to leave out, separated by commas.")
@option(
    "--severity", type=click.IntRange(1, 5), multiple=True, default=(3,), help="Severity of every mode. Repeatable."
)
@option(
    "--pointer",
    type=click.Choice(["selector", "coordinates", "tree"]),
    default="selector",
    help="How the agent perceives the page and acts.",
)
@option("--seeds", type=click.IntRange(1, 1000), default=1, help="Number of worlds, from world seed 0 on.")
@option("--limit", type=click.IntRange(min=1), default=None, help="Run only N episodes, spread over sites and modes.")
@option(
    "--shard", default=None, metavar="I/N", help="Run only the I-th of N parts; merge the runs with `stressweb merge`."
)
@option("--workers", type=click.IntRange(min=1), default=None, help="Worker processes (default: one per four cores).")
@option("--run", "name", default=None, help="Name of the run (default: date and conditions).")
@resume
@option("--output", type=click.Path(path_type=Path), default=None, help="File for the certificate, as Markdown.")
@run_options
def prove_command(**options: Any) -> int:
    """Prove that every task can be done under every mode, and print the certificate.

    The agent is `resilient`, which knows the reference trajectory and sees only the page. With --resume, the missing
    episodes of a run are executed, and its certificate is printed again.
    """
    from stressweb.runner.commands.prove import prove  # noqa: PLC0415 - keeps help fast

    return prove(options)


@click.command("gallery")
@click.argument("sites", nargs=-1)
@option("--seeds", type=click.IntRange(1, 100), default=6, help="Number of worlds of each site.")
@option("--workers", type=click.IntRange(min=1), default=None, help="Worker processes (default: one per four cores).")
@option("--output", type=click.Path(path_type=Path), default=Path("gallery.html"), help="File to write.")
@run_options
def gallery_command(
    sites: tuple[str, ...], seeds: int, workers: int | None, output: Path, runs_dir: Path, as_json: bool
) -> int:
    """Write an HTML page with pictures of sites, their worlds, and every mode at every severity."""
    from stressweb.runner.commands.gallery import make_gallery  # noqa: PLC0415 - keeps help fast

    return make_gallery(sites, seeds, output, runs_dir, workers, as_json=as_json)


@click.command("schema")
@click.argument("kind", type=click.Choice(["site", "tasks", "experiment"]))
@option("--output", type=click.Path(path_type=Path, dir_okay=False), default=None, help="File for the schema.")
@loading
@debugging
def schema_command(kind: str, output: Path | None) -> int:
    """Print the JSON Schema of site.yaml, tasks.yaml or an experiment file, for your editor."""
    from stressweb.runner.commands.schema import schema  # noqa: PLC0415 - keeps help fast

    return schema(kind, output)


COMMANDS = (new_command, verify_command, prove_command, gallery_command, schema_command)
