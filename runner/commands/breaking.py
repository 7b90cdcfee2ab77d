"""`stressweb breaking-point`: the severity at which agents start to fail, and the share that survives each severity."""

import json
from collections.abc import Sequence
from math import inf
from typing import Any

from stressweb.core.environment import environment
from stressweb.core.words import counted
from stressweb.log.limits import Limits
from stressweb.log.plan import limited, seeds
from stressweb.log.recording import EpisodeRecord
from stressweb.runner import registry
from stressweb.runner.causes.stage import staged
from stressweb.runner.causes.survival import Point, Sampled, point, rate_of, sampled, survival
from stressweb.runner.commands.output import say
from stressweb.runner.commands.progress import progress


def breaking_points(
    agent: str, mode: str, task: str | None, seed: int, stress_seeds: str, limit: int | None, *, as_json: bool
) -> int:
    """Find and print the severity of each mode that each agent survives.

    For a deterministic agent, this is a breaking point for each task and stress seed; for any other agent, an estimate
    over all tasks. Raises UserError before anything starts.
    """
    agents = registry.chosen_agents(agent)
    modes = [_mode(label.strip()) for label in mode.split(",")]
    tasks, stress = limited(registry.chosen_tasks(task), limit), seeds(stress_seeds)
    for spec in agents:
        # Before world and browser start.
        registry.build(spec).ready(environment())
    pairs = [(spec, kind) for spec in agents for kind in modes]
    points: list[Point] = []
    estimates: list[Sampled] = []
    with progress(quiet=as_json) as tally:

        def on_episode(record: EpisodeRecord) -> None:
            tally.done += 1
            tally.phase(f"{record.cell.agent} · {record.cell.task} · {record.cell.condition}")

        with staged(Limits(), registry.Library(), on_episode) as stage:
            for spec, kind in pairs:
                # Only with a deterministic agent does the same rate always give the same episode.
                if spec.deterministic:
                    points += [point(stage, spec, task_id, kind, seed, each) for task_id in tasks for each in stress]
                else:
                    estimates.append(sampled(stage, spec, kind, tasks, seed))
    if as_json:
        output = {"points": [*map(_row, points)], "estimates": [*map(_estimate, estimates)]}
        say(json.dumps(output, indent=2))
        return 0
    _say_points(points)
    for sample in estimates:
        _say_estimate(sample)
    return 0


def _mode(name: str) -> str:
    kind = registry.MODES.get(name)
    rate_of(kind)
    return kind.mode


def _row(task_point: Point) -> dict[str, Any]:
    return {
        "agent": task_point.agent,
        "task": task_point.task,
        "mode": task_point.mode,
        "stress_seed": task_point.stress,
        "severity": str(task_point),
        "rate": task_point.rates.passes_to if 0 <= task_point.rates.passes_to < inf else None,
        "exact": task_point.rates.exact,
        "monotone": task_point.rates.monotone,
        "episodes": task_point.rates.runs,
        "draws": task_point.rates.draws,
    }


def _estimate(sample: Sampled) -> dict[str, Any]:
    estimate = sample.estimate
    left = [] if estimate is None else [each._asdict() for each in estimate.left]
    episodes = 0 if estimate is None else estimate.episodes
    return {"agent": sample.agent, "mode": sample.mode, "tasks": list(sample.tasks), "left": left, "episodes": episodes}


def _say_points(points: Sequence[Point]) -> None:
    for agent, mode in dict.fromkeys((task_point.agent, task_point.mode) for task_point in points):
        own = [task_point for task_point in points if (task_point.agent, task_point.mode) == (agent, mode)]
        shares = ", ".join(f"{surviving} of {of} at {severity}" for severity, surviving, of in survival(own))
        say(f"{agent} · {mode} · surviving by severity: {shares}")
        for task in dict.fromkeys(task_point.task for task_point in own):
            say(f"  {task}: {', '.join(str(task_point) for task_point in own if task_point.task == task)}")


def _say_estimate(sample: Sampled) -> None:
    if sample.estimate is None:
        say(f"{sample.agent} · {sample.mode}: no estimate, because the agent passes no task twice without disturbances")
        return
    shares = ", ".join(
        f"{each.share:.0%} [{each.low:.0%}, {each.high:.0%}] at {each.severity}" for each in sample.estimate.left
    )
    sample_size = f"{counted(len(sample.tasks), 'task')}, {counted(sample.estimate.episodes, 'episode')}"
    say(f"{sample.agent} · {sample.mode} · surviving by severity: {shares} ({sample_size})")
