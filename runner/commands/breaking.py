"""`stressweb breaking-point`: the severity from which on agents fail, and the share left at each severity."""

import json
from collections.abc import Sequence
from math import inf
from typing import Any

from runner import registry
from runner.causes.stage import staged
from runner.causes.survival import Point, Sampled, point, rate_of, sampled, survival
from runner.commands.output import say
from runner.commands.progress import progress
from stressweb.core.environment import environment
from stressweb.core.words import counted
from stressweb.log.limits import Limits
from stressweb.log.plan import limited, seeds
from stressweb.log.recording import EpisodeRecord


def breaking_points(
    agent: str, mode: str, task: str | None, seed: int, stress_seeds: str, limit: int | None, *, as_json: bool
) -> int:
    """Find how much of each mode each agent survives, and print it.

    A deterministic agent has a breaking point for each task and stress seed; of any other agent there is an estimate
    over all tasks. Raises UserError before anything starts.
    """
    agents = registry.chosen_agents(agent)
    modes = [_mode(label.strip()) for label in mode.split(",")]
    tasks, stress = limited(registry.chosen_tasks(task), limit), seeds(stress_seeds)
    for spec in agents:
        # Reports what an agent lacks before world and browser start.
        registry.build(spec).ready(environment())
    pairs = [(spec, kind) for spec in agents for kind in modes]
    points: list[Point] = []
    estimates: list[Sampled] = []
    with progress(quiet=as_json) as tally:

        def heard(record: EpisodeRecord) -> None:
            tally.done += 1
            tally.phase(f"{record.cell.agent} · {record.cell.task} · {record.cell.condition}")

        with staged(Limits(), registry.Library(), heard) as stage:
            for spec, kind in pairs:
                # A single task has a breaking point only if the same rate always gives the same episode.
                if spec.deterministic:
                    points += [point(stage, spec, one, kind, seed, each) for one in tasks for each in stress]
                else:
                    estimates.append(sampled(stage, spec, kind, tasks, seed))
    if as_json:
        said = {"points": [*map(_row, points)], "estimates": [*map(_estimate, estimates)]}
        say(json.dumps(said, indent=2))
        return 0
    _say_points(points)
    for one in estimates:
        _say_estimate(one)
    return 0


def _mode(name: str) -> str:
    kind = registry.MODES.get(name)
    rate_of(kind)
    return kind.mode


def _row(one: Point) -> dict[str, Any]:
    return {
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


def _estimate(one: Sampled) -> dict[str, Any]:
    found = one.found
    left = [] if found is None else [each._asdict() for each in found.left]
    episodes = 0 if found is None else found.episodes
    return {"agent": one.agent, "mode": one.mode, "tasks": list(one.tasks), "left": left, "episodes": episodes}


def _say_points(points: Sequence[Point]) -> None:
    for agent, mode in dict.fromkeys((one.agent, one.mode) for one in points):
        own = [one for one in points if (one.agent, one.mode) == (agent, mode)]
        left = ", ".join(f"{kept} of {of} at {severity}" for severity, kept, of in survival(own))
        say(f"{agent} · {mode} · left by severity: {left}")
        for task in dict.fromkeys(one.task for one in own):
            say(f"  {task}: {', '.join(str(one) for one in own if one.task == task)}")


def _say_estimate(one: Sampled) -> None:
    if one.found is None:
        say(f"{one.agent} · {one.mode}: it passes no task undisturbed twice")
        return
    left = ", ".join(
        f"{each.share:.0%} [{each.low:.0%}, {each.high:.0%}] at {each.severity}" for each in one.found.left
    )
    over = f"{counted(len(one.tasks), 'task')}, {counted(one.found.episodes, 'episode')}"
    say(f"{one.agent} · {one.mode} · left by severity: {left} ({over})")
