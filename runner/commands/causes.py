"""`stressweb shrink` and `stressweb fork`: find out why an episode failed."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from stressweb.core.browser_program import Browser, find_browser
from stressweb.core.words import counted
from stressweb.log import causes
from stressweb.log.recording import EpisodeRecord
from stressweb.log.run_folder import run_folder
from stressweb.runner import registry
from stressweb.runner.api.start import Lanes
from stressweb.runner.causes.fork import REPEATS, check_step, fork
from stressweb.runner.causes.recorded_episode import RecordedEpisode, find_episode
from stressweb.runner.causes.shrink import Budget, check_failed, shrink
from stressweb.runner.causes.stage import CauseStage, staged
from stressweb.runner.commands.output import say
from stressweb.runner.commands.progress import Tally, progress


def shrink_episode(run: str, name: str, runs_dir: Path, episodes: int, tokens: int | None, *, as_json: bool) -> int:
    """Find a minimal set of injections that breaks an episode; save the answer with the run, and print it."""
    folder, library = run_folder(run, runs_dir), registry.Library()
    browser = find_browser()
    episode = find_episode(folder, name, library, browser.version)
    check_failed(episode.record)
    # Checked before world and browser start, which takes seconds.
    budget = Budget(episodes, tokens)
    with _stage(episode, library, browser, episodes, quiet=as_json) as (stage, tally):
        answer = shrink(episode, stage, budget, tally.phase)
    causes.keep(folder, episode.record.cell.key, answer)
    if as_json:
        say(_in_json(folder, episode, answer))
        return 0
    say(f"{episode.record.cell.key} failed: {answer.failure}")
    say(str(answer))
    say(f"{counted(answer.injections, 'injection')} fired; {counted(answer.episodes, 'episode')} played to find out")
    return 0


def fork_episode(run: str, name: str, step: int, runs_dir: Path, repeats: int | None, *, as_json: bool) -> int:
    """Continue an episode from one action with its injections and without; save the effect, and print it."""
    folder, library = run_folder(run, runs_dir), registry.Library()
    browser = find_browser()
    episode = find_episode(folder, name, library, browser.version)
    check_step(episode.record, step)
    # Repetitions of a deterministic agent are identical.
    each = repeats or (1 if episode.deterministic else REPEATS)
    # Both arms, and the replay that shows which injections fired.
    with _stage(episode, library, browser, 2 * each + 1, quiet=as_json) as (stage, tally):
        effect = fork(episode, step, stage, each, tally.phase)
    causes.keep(folder, episode.record.cell.key, effect)
    say(_in_json(folder, episode, effect) if as_json else str(effect))
    return 0


def _in_json(folder: Path, episode: RecordedEpisode, answer: causes.Answer | causes.Effect) -> str:
    episode_fields = {"run": str(folder), "episode": episode.record.cell.key}
    return json.dumps({**episode_fields, **answer.model_dump(mode="json"), "said": str(answer)}, indent=2)


@contextmanager
def _stage(
    episode: RecordedEpisode, library: registry.Library, browser: Browser, most: int, *, quiet: bool
) -> Iterator[tuple[CauseStage, Tally]]:
    with progress(quiet=quiet) as tally:
        tally.expect(most, 0, Lanes(1))

        def on_episode(record: EpisodeRecord) -> None:
            tally.done += 1

        with staged(episode.limits, library, on_episode, browser.path) as stage:
            yield stage, tally
