"""`stressweb shrink`, `fork` and `breaking-point`: why an episode failed, and how much an agent stands."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import inf
from pathlib import Path

from runner import registry
from runner.agents import make
from runner.causes.fork import REPEATS, check_step, fork
from runner.causes.found import Found, found
from runner.causes.shrink import Budget, check_failed, shrink
from runner.causes.stage import Stage, staged
from runner.causes.survival import Point, all_points, rate_of, survival
from runner.commands.output import say
from runner.commands.progress import Tally, progress
from runner.episode.loop import Limits
from runner.experiment.plan import limited, seeds
from runner.experiment.run_folder import run_folder
from stressweb.core.errors import UserError
from stressweb.core.words import counted
from stressweb.log import causes
from stressweb.log.recording import EpisodeRecord


def shrink_episode(run: str, name: str, runs_dir: Path, episodes: int, tokens: int | None, *, as_json: bool) -> int:
    """Find the smallest set of injections that breaks an episode, keep the answer beside the run and print it."""
    folder, library = run_folder(run, runs_dir), registry.Library()
    one = found(folder, name, library)
    check_failed(one.record)
    budget = Budget(episodes, tokens)
    with _stage(one, library, episodes, quiet=as_json) as (stage, tally):
        answer = shrink(one, stage, budget, tally.phase)
    causes.keep(folder, one.record.cell.key, answer)
    if as_json:
        said = {"run": str(folder), "episode": one.record.cell.key, **answer.model_dump(mode="json")}
        say(json.dumps({**said, "said": str(answer)}, indent=2))
        return 0
    say(f"{one.record.cell.key} missed: {answer.failure}")
    say(str(answer))
    say(f"{counted(answer.injections, 'injection')} fired; {counted(answer.episodes, 'episode')} played to find out")
    return 0


def fork_episode(run: str, name: str, step: int, runs_dir: Path, repeats: int | None, *, as_json: bool) -> int:
    """Go on from one action of an episode with its injections and without, keep the effect and print it."""
    folder, library = run_folder(run, runs_dir), registry.Library()
    one = found(folder, name, library)
    check_step(one.record, step)
    # Deterministic episodes are all the same.
    each = repeats or (1 if one.deterministic else REPEATS)
    with _stage(one, library, 2 * each + 1, quiet=as_json) as (stage, tally):
        effect = fork(one, step, stage, each, tally.phase)
    causes.keep(folder, one.record.cell.key, effect)
    if as_json:
        said = {"run": str(folder), "episode": one.record.cell.key, **effect.model_dump(mode="json")}
        say(json.dumps({**said, "said": str(effect)}, indent=2))
        return 0
    say(str(effect))
    return 0


def breaking_points(
    agent: str, mode: str, task: str | None, seed: int, stress_seeds: str, limit: int | None, *, as_json: bool
) -> int:
    """Find the severity from which on each deterministic agent fails each task, and print survival over severity."""
    agents = registry.chosen_agents(agent)
    kinds = [_mode(label.strip()) for label in mode.split(",")]
    tasks = limited(registry.chosen_tasks(task), limit)
    sampled = [spec for spec in agents if not make(spec).deterministic]
    if sampled:
        raise UserError(
            f"agent {sampled[0]} is not deterministic: its episodes differ, so no task has a breaking point"
        )
    cells = [
        (spec, one, kind, seed, stress)
        for spec in agents
        for kind in kinds
        for one in tasks
        for stress in seeds(stress_seeds)
    ]
    with progress(quiet=as_json) as tally:
        tally.expect(len(cells), 0, 1)

        def done(point: Point) -> None:
            tally.done += 1
            tally.phase(f"{point.agent} · {point.task} · {point.mode}: {point}")

        with staged(Limits(), registry.Library(), lambda record: None) as stage:
            points = all_points(stage, cells, done)
    _say_points(points, as_json=as_json)
    return 0


def _mode(name: str) -> str:
    kind = registry.mode(name)
    rate_of(kind)
    return kind.mode


def _say_points(points: Sequence[Point], *, as_json: bool) -> None:
    if as_json:
        rows = [
            {
                "agent": one.agent,
                "task": one.task,
                "mode": one.mode,
                "stress_seed": one.stress,
                "severity": str(one),
                "rate": one.found.passes_to if 0 <= one.found.passes_to < inf else None,
                "exact": one.found.exact,
                "monotone": one.found.monotone,
                "episodes": one.found.runs,
                "draws": one.found.draws,
            }
            for one in points
        ]
        say(json.dumps({"points": rows}, indent=2))
        return
    for agent, mode in dict.fromkeys((one.agent, one.mode) for one in points):
        own = [one for one in points if (one.agent, one.mode) == (agent, mode)]
        left = ", ".join(f"{kept} of {of} at {severity}" for severity, kept, of in survival(own))
        say(f"{agent} · {mode}: left after severity: {left}")
        for task in dict.fromkeys(one.task for one in own):
            say(f"  {task}: {', '.join(str(one) for one in own if one.task == task)}")


@contextmanager
def _stage(one: Found, library: registry.Library, most: int, *, quiet: bool) -> Iterator[tuple[Stage, Tally]]:
    with progress(quiet=quiet) as tally:
        tally.expect(most, 0, 1)

        def heard(record: EpisodeRecord) -> None:
            tally.done += 1

        with staged(one.limits, library, heard, one.browser.path) as stage:
            yield stage, tally
