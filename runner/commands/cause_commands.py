"""The commands for causes: `shrink` and `fork` for the cause of a failure, `breaking-point` for its severity."""

from pathlib import Path

import click

from stressweb.runner.commands.options import as_json, debugging, loading, option, run_options
from stressweb.runner.commands.seed import Seed


@click.command("shrink")
@click.argument("run")
@click.argument("episode")
# The default is `MAX_EPISODES` of the search, which is not imported here to keep help fast.
@option("--max-episodes", type=click.IntRange(min=1), default=60, help="Maximum number of episodes to play.")
@option(
    "--max-tokens", type=click.IntRange(min=1), default=None, help="Maximum number of a model's tokens (default: none)."
)
@run_options
def shrink_command(
    run: str, episode: str, max_episodes: int, max_tokens: int | None, runs_dir: Path, as_json: bool
) -> int:
    """Find a minimal set of disturbances that breaks an episode.

    EPISODE is its key, task|agent|condition|world|stress seed|epoch; parts may be left out if the rest is unique.
    """
    from stressweb.runner.commands.causes import shrink_episode  # noqa: PLC0415 - keeps help fast

    return shrink_episode(run, episode, runs_dir, max_episodes, max_tokens, as_json=as_json)


@click.command("fork")
@click.argument("run")
@click.argument("episode")
@option("--step", type=click.IntRange(min=1), required=True, help="Action from which to continue.")
@option(
    "--repeats",
    type=click.IntRange(min=1),
    default=None,
    help="Repetitions with and without the disturbance (default: 5, or 1 for a deterministic agent).",
)
@run_options
def fork_command(run: str, episode: str, step: int, repeats: int | None, runs_dir: Path, as_json: bool) -> int:
    """Continue an episode from one action, with its disturbance and without.

    EPISODE is its key, task|agent|condition|world|stress seed|epoch; parts may be left out if the rest is unique.
    """
    from stressweb.runner.commands.causes import fork_episode  # noqa: PLC0415 - keeps help fast

    return fork_episode(run, episode, step, runs_dir, repeats, as_json=as_json)


@click.command("breaking-point")
@option("--agent", default="naive,resilient", help="Agents, separated by commas.")
@option("--mode", default="failure", help="Modes that disturb gestures, separated by commas.")
@option("--task", default=None, help="Tasks or patterns, separated by commas: shop/* (default: all).")
@option("--limit", type=click.IntRange(min=1), default=None, help="Only N tasks, taken from each site in turn.")
@option("--seed", type=Seed(), default=0, help="World seed.")
@option("--stress-seeds", "--stress-seed", default="0..4", help="Stress seeds: 3, a list 0,1,2 or a range 0..4.")
@as_json
@loading
@debugging
def breaking_point_command(
    agent: str, mode: str, task: str | None, limit: int | None, seed: int, stress_seeds: str, as_json: bool
) -> int:
    """Find the severity at which an agent starts to fail."""
    from stressweb.runner.commands.breaking import breaking_points  # noqa: PLC0415 - keeps help fast

    return breaking_points(agent, mode, task, seed, stress_seeds, limit, as_json=as_json)


COMMANDS = (shrink_command, fork_command, breaking_point_command)
