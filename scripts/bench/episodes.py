"""The cost of an episode, with and without pictures, compared with a bare script of the same actions."""

import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from playwright.sync_api import sync_playwright

from scripts.bench.baseline import BaselineSite, Script
from scripts.bench.cpu import Counted, Shares, plus
from scripts.bench.figure import Figure
from scripts.bench.parts import BARE, EPISODE, Part, Stopwatch, parts
from scripts.bench.player import Player, Replay, cell_of
from scripts.bench.turns import in_turns
from scripts.waited import launched
from stressweb.core.errors import InfrastructureError
from stressweb.log.recording import EpisodeRecord
from stressweb.log.store import FILE, Store
from stressweb.runner.agents import make
from stressweb.runner.registry import Library
from stressweb.runner.world.world import World

SAMPLE = ("shop/two-of-a-named-product", "shop/create-account", "shop/checkout")
"""Tasks of the sample: a short, a medium and a long one."""
_PLAIN, _PICTURED, _BARE_PICTURED, _BARE = range(4)
"""The ways to run a task, in the order of their turns."""
_MOST_PLAIN, _MOST_PICTURED, _MOST_FOR_PICTURES = 1.25, 1.35, 1.08


class Measured(NamedTuple):
    """The measurements of episodes."""

    figures: list[Figure]
    parts: list[Part]
    shares: list[Shares]
    """Total CPU-seconds of episodes, episodes with pictures, bare scripts with pictures, and bare scripts."""
    reads: float
    """Mean number of reads of a page in an episode."""


def measure_sample(rounds: int) -> Measured:
    """Measure the tasks of the sample; raises InfrastructureError if an episode fails."""
    with ExitStack() as stack, tempfile.TemporaryDirectory() as folder:
        browser = launched(stack.enter_context(sync_playwright()))
        stack.callback(browser.close)
        world, bare = World(), BaselineSite(Library().world("shop", 0))
        stack.callback(world.close)
        stack.callback(bare.close)
        cells = [cell_of(task) for task in SAMPLE]
        store = stack.enter_context(Store.create(Path(folder) / FILE, {"bench": 0}, cells))
        player = Player(browser, world, store)
        stack.callback(player.close)
        return measure_episodes(player, bare, SAMPLE, rounds)


def measure_episodes(player: Player, site: BaselineSite, tasks: Sequence[str], rounds: int) -> Measured:
    """Measure episodes in clean compared with a bare script, in wall time and CPU time, and the time of their parts."""
    seconds = [0.0] * 4
    shares = [Shares()] * 4
    watches = [Stopwatch() for _ in seconds]
    taken: list[bytes] = []
    for task in tasks:
        ways, pictures = _ways(player, site, task)
        counted = [
            Counted(watch.timing(way, EPISODE if which in (_PLAIN, _PICTURED) else BARE))
            for which, (way, watch) in enumerate(zip(ways, watches, strict=True))
        ]
        medians = in_turns(rounds, *counted)
        seconds = [before + median for before, median in zip(seconds, medians, strict=True)]
        shares = [plus(before, way.shares) for before, way in zip(shares, counted, strict=True)]
        taken += pictures
    count = len(tasks) * rounds
    each = [share.words(count) for share in shares]
    wall = [f"{spent / len(tasks):.2f} s" for spent in seconds]
    cpu = [sum(share) for share in shares]
    size = f"{sum(map(len, taken)) / len(taken) / 1000:.0f} kB a step"
    figures = [
        Figure("episode with screenshots / without", seconds[_PICTURED] / seconds[_PLAIN], "x", _MOST_FOR_PICTURES,
               f"{wall[_PICTURED]} against {wall[_PLAIN]}, {size}")
    ]  # fmt: skip
    for which, most, with_ in ((_PLAIN, _MOST_PLAIN, ""), (_PICTURED, _MOST_PICTURED, " with screenshots")):
        name = f"episode in clean{with_} / bare Playwright script"
        figures += [
            Figure(name, seconds[which] / seconds[_BARE], "x", most,
                   f"{wall[which]} against {wall[_BARE]}, {len(tasks)} tasks"),
            Figure(f"{name}, CPU", cpu[which] / cpu[_BARE], "x", most, f"{each[which]} against {each[_BARE]}"),
        ]  # fmt: skip
    figures += _beside_pictures(seconds, cpu, wall, each)
    return Measured(
        figures,
        parts(watches[_PLAIN].seconds, watches[_PICTURED].seconds, watches[_BARE].seconds, count),
        shares,
        # An episode has a picture of every read.
        reads=len(taken) / len(tasks),
    )


def _beside_pictures(
    seconds: Sequence[float], cpu: Sequence[float], wall: Sequence[str], each: Sequence[str]
) -> list[Figure]:
    """Return the cost of pictures for a bare script, and the cost of an episode compared with such a script."""
    bare, pictured = "bare Playwright script", "bare Playwright script with screenshots"
    episode = "episode in clean with screenshots"
    figures = []
    for name, other, which, against in (
        (pictured, bare, _BARE_PICTURED, _BARE),
        (episode, pictured, _PICTURED, _BARE_PICTURED),
    ):
        ratios = seconds[which] / seconds[against], cpu[which] / cpu[against]
        figures += [
            Figure(f"{name} / {other}", ratios[0], "x", None, f"{wall[which]} against {wall[against]}"),
            Figure(f"{name} / {other}, CPU", ratios[1], "x", None, f"{each[which]} against {each[against]}"),
        ]
    return figures


def _ways(player: Player, site: BaselineSite, task: str) -> tuple[list[Callable[[], object]], list[bytes]]:
    """Return the ways to run a task, each run once to warm up, and the pictures that were taken."""
    record = player.play(task, make("naive"))
    # Use the same actions on both sides, because only the harness is compared, not the agent's search for elements.
    script = Script(player.browser, site, record.actions)
    photographer = Script(player.browser, site, record.actions, pictures=True)
    for bare in (script, photographer):
        # Make sure that the script does not stop half-way, which would be fast.
        _check_end(bare.run(), record)
    pictured = player.play(task, Replay(record.actions), pictures=True)
    ways = [
        lambda: player.play(task, Replay(record.actions)),
        lambda: player.play(task, Replay(record.actions), pictures=True),
        photographer.run,
        script.run,
    ]
    return ways, [step.page.screenshot or b"" for step in pictured.steps]


def _check_end(path: str, record: EpisodeRecord) -> None:
    """Raise InfrastructureError if the script ended at a different path than the episode."""
    ours = urlsplit(record.steps[-1].page.url).path
    if path != ours:
        raise InfrastructureError(f"the bare script of {record.cell.task} ends at {path}, the episode at {ours}")
