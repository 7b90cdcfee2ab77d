"""Pairs of a clean and a stressed episode, and their figures by task.

An episode under clean and one under a condition are a pair if task, world and epoch are the same. Clean has no stress
seed, so each of its epochs is compared with the same epoch of every stress seed.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from statistics import fmean
from typing import NamedTuple

from stressweb.analysis.graded import Graded
from stressweb.analysis.statistics import Interval

type Task = tuple[str, str]
"""The site and the id of a task."""
type Family = tuple[str, str]
"""The site and the family of a task; the family of a task without one is its id."""
type Couple = tuple[Graded, Graded]
"""A clean episode and a stressed one."""


class Means(NamedTuple):
    """The compared figures of an arm."""

    success: float
    checkpoints: float
    steps: float


class Pair(NamedTuple):
    """One task's means in both arms."""

    clean: Means
    stressed: Means


def task_of(episode: Graded) -> Task:
    """Return the key of an episode's task."""
    return episode.site, episode.task


def family_of(episode: Graded) -> Family:
    """Return the family of an episode's task."""
    return episode.site, episode.family or episode.task


def families(episodes: Iterable[Graded], tasks: Iterable[Task]) -> list[Family]:
    """Return the family of each task; `episodes` must have an episode of each task."""
    known = {task_of(episode): family_of(episode) for episode in episodes}
    return [known[task] for task in tasks]


def world_of(episode: Graded) -> tuple[str, str, int]:
    """Return the key of an episode's task and world."""
    return episode.site, episode.task, episode.world_seed


def grouped[T, K: Hashable](values: Iterable[T], key: Callable[[T], K]) -> dict[K, list[T]]:
    """Return values grouped by a key function, in order of appearance."""
    groups: dict[K, list[T]] = defaultdict(list)
    for value in values:
        groups[key(value)].append(value)
    return groups


def couples(clean: Iterable[Graded], stressed: Iterable[Graded]) -> Iterator[Couple]:
    """Yield every pair of episodes, including errors; episodes without a partner are left out.

    A clean episode with a stress seed is a partner only for the same seed. Raises ValueError if one episode of a pair
    is observed and the other is ours.
    """
    # By epoch, because the agent has the same sampling seed in both arms of an epoch.
    partners = grouped(clean, lambda episode: (world_of(episode), episode.epoch))
    for episode in stressed:
        for partner in partners.get((world_of(episode), episode.epoch), ()):
            if partner.way != episode.way:
                # Not comparable: their steps are counted differently, and their pages are read at other moments.
                raise ValueError(f"{partner.agent} is {partner.way} and {episode.agent} is {episode.way}: no pair")
            if partner.stress_seed in (None, episode.stress_seed):
                yield partner, episode


def paired(clean: Iterable[Graded], stressed: Iterable[Graded]) -> list[Pair]:
    """Return both arms' means of each task with at least one pair of episodes, sorted by task."""
    return list(paired_tasks(clean, stressed).values())


def paired_tasks(clean: Iterable[Graded], stressed: Iterable[Graded]) -> dict[Task, Pair]:
    """Return both arms' means by task, for tasks with at least one pair of episodes, sorted by name.

    A pair with a missing episode or an error is left out of both arms, which would otherwise have different tasks.
    Worlds of a task have equal weight.
    """
    complete = [couple for couple in couples(clean, stressed) if couple[0].counts and couple[1].counts]
    return {
        task: Pair(*(Means(*map(fmean, zip(*arm, strict=True))) for arm in arms)) for task, *arms in _arms(complete)
    }


def _arms(complete: Sequence[Couple]) -> Iterator[tuple[Task, list[Means], list[Means]]]:
    """Yield each task with the means of each world in both arms."""
    tasks = grouped(complete, lambda couple: task_of(couple[0]))
    for task in sorted(tasks):
        worlds = grouped(tasks[task], lambda couple: couple[0].world_seed).values()
        yield (
            task,
            [means([couple[0] for couple in world]) for world in worlds],
            [means([couple[1] for couple in world]) for world in worlds],
        )


def means(episodes: Sequence[Graded]) -> Means:
    """Return the means of episodes with equal weight."""
    # A fast path, because most tasks have one episode in an arm.
    if len(episodes) == 1:
        return Means(float(episodes[0].success), episodes[0].checkpoint_rate, float(episodes[0].steps))
    return Means(
        fmean(e.success for e in episodes), fmean(e.checkpoint_rate for e in episodes), fmean(e.steps for e in episodes)
    )


def task_means(episodes: Iterable[Graded]) -> dict[Task, Means]:
    """Return the means of each task, by name; its worlds have equal weight."""
    # Sorted below, because a sum of floats depends on its order, and episodes finish in varying order.
    tasks = grouped(episodes, task_of)
    return {
        task: Means(*map(fmean, zip(*(means(world) for world in grouped(tasks[task], world_of).values()), strict=True)))
        for task in sorted(tasks)
    }


def bounds(clean: Iterable[Graded], stressed: Iterable[Graded]) -> Interval | None:
    """Return the smallest and largest possible difference of success; None without errors.

    Smallest: every error under the condition counts as a failure, every clean error as a success; largest: the reverse.
    """
    pairs = list(couples(clean, stressed))
    if all(before.counts and after.counts for before, after in pairs):
        return None

    def extreme(*, gained: bool) -> float:
        # Errors of the two arms count in opposite ways, so that both move the difference in the same direction.
        def difference(couple: Couple) -> float:
            before, after = couple
            return _outcome(after, error=gained) - _outcome(before, error=not gained)

        tasks = grouped(pairs, lambda couple: task_of(couple[0])).values()
        worlds = ([*grouped(task, lambda couple: couple[0].world_seed).values()] for task in tasks)
        return fmean(fmean(fmean(map(difference, world)) for world in task) for task in worlds)

    return Interval(extreme(gained=False), extreme(gained=True))


def _outcome(episode: Graded, *, error: bool) -> int:
    return int(episode.success if episode.counts else error)


def flip_rate(episodes: Iterable[Graded]) -> float | None:
    """Return how often two clean episodes of the same task and world disagree; None without repeats.

    It is the mean of `task_flips` over tasks. A smaller loss may be the agent's own variation.
    """
    flips = task_flips(episodes)
    return fmean(flips.values()) if flips else None


def task_flips(episodes: Iterable[Graded]) -> dict[Task, float]:
    """Return for each repeated task how often two of its episodes with the same draws disagree.

    It is the share of disagreeing pairs of epochs, averaged over worlds and stress seeds; errors are left out.
    """
    alike = grouped(
        (episode for episode in episodes if episode.counts), lambda episode: (world_of(episode), episode.stress_seed)
    )
    shares = {key: _disagreement([episode.success for episode in own]) for key, own in alike.items() if len(own) > 1}
    tasks = grouped(shares, lambda key: key[0][:2])
    return {task: fmean(shares[key] for key in keys) for task, keys in tasks.items()}


def _disagreement(outcomes: Sequence[bool]) -> float:
    # Of count (count - 1) ordered pairs of episodes, 2 won lost disagree.
    won, count = sum(outcomes), len(outcomes)
    return 2 * won * (count - won) / (count * (count - 1))


def clean_repeated(episodes: Iterable[Graded]) -> list[str]:
    """Return the agents whose clean episodes ran twice and all others once, as planned for non-deterministic agents."""
    epochs = dict[str, dict[bool, set[int]]]()
    for episode in episodes:
        epochs.setdefault(episode.agent, {True: set(), False: set()})[episode.condition == "clean"].add(episode.epoch)
    return [agent for agent, own in epochs.items() if own[True] == {0, 1} and own[False] <= {0}]
