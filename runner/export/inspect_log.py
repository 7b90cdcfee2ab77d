"""Exports a run as logs of Inspect AI: a log for each agent and condition, with a sample for each episode."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from inspect_ai.event import InfoEvent, ToolEvent
from inspect_ai.log import (
    EvalConfig,
    EvalDataset,
    EvalError,
    EvalLog,
    EvalMetric,
    EvalResults,
    EvalSample,
    EvalScore,
    EvalSpec,
    EvalStats,
    write_eval_log,
)
from inspect_ai.model import ChatMessageAssistant, ChatMessageTool, ChatMessageUser
from inspect_ai.scorer import CORRECT, INCORRECT, Score
from inspect_ai.tool import ToolCall

from stressweb.analysis.measures import measure
from stressweb.analysis.result_row import ResultRow
from stressweb.core.draws import digest
from stressweb.log.episode import Episode
from stressweb.log.page_reader import BareStep
from stressweb.log.recording import Cell
from stressweb.log.store_reader import StoreReader
from stressweb.runner.export.folder import LOG
from stressweb.runner.outcome.goals import goal_texts
from stressweb.runner.outcome.results import with_episodes

ABOUT = (
    "One log of Inspect AI for each agent and condition; view them with `inspect view --log-dir`. A sample is an "
    "episode; one with an infrastructure error has no score. `accuracy` is successes / episodes, `success` the mean "
    "over tasks, as in the table of the run. The logs do not include pages and pictures."
)
_EARLIEST = "1970-01-01T00:00:00Z"
"""Date for a run that did not record its date."""


def write(store: StoreReader, folder: Path, name: str) -> int:
    """Write the logs of the run `name` into a folder and return their number.

    Keeps all samples of a log in memory, as Inspect's API requires. Raises AlteredError.
    """
    cells_by_log: dict[tuple[str, str], list[Cell]] = defaultdict(list)
    all_graded = []
    for details, graded in with_episodes(store, contents=True):
        all_graded.append(graded)
        cell = details.episode.cell
        cells_by_log[cell.agent, cell.condition].append(cell)
    # Measured over the whole run, since differences need the clean episodes of another log.
    rows = {(row.agent, row.condition): row for row in measure(all_graded)}
    logs = _Logs(store, name)
    for number, (agent_and_condition, cells) in enumerate(cells_by_log.items(), start=1):
        # Episodes are read again, so that only one log at a time is in memory.
        log = logs.log(rows[agent_and_condition], map(store.episode, cells))
        # A label may be too long for a file name or have invalid characters; the number keeps names unique.
        label = re.sub(r"[^A-Za-z0-9]+", "-", "-".join(agent_and_condition)).strip("-")[:80]
        write_eval_log(log, folder / f"{number:02}-{label}{LOG}", format="eval")
    return len(cells_by_log)


class _Logs:
    """Creates the logs of a run."""

    def __init__(self, store: StoreReader, name: str) -> None:
        self._store, self._name = store, name
        self._meta, self._identities = store.meta(), store.identities()
        self._goal = goal_texts(self._meta)
        self._started = str(self._meta.get("started") or _EARLIEST)

    def log(self, row: ResultRow, episodes: Iterator[Episode]) -> Any:
        """Return the log of one agent under one condition."""
        samples = [self._sample(episode) for episode in episodes]
        accuracy = row.successes / row.episodes if row.episodes else 0.0
        figures = {
            "accuracy": accuracy,
            "success": row.success,
            "difference": row.difference,
            "checkpoints": row.checkpoints,
        }
        metrics = {name: EvalMetric(name=name, value=figure) for name, figure in figures.items() if figure is not None}
        task_name = f"{self._name} {row.agent} {row.condition}"
        return EvalLog(
            # The log is complete; how its episodes ended is in the scores.
            status="success",
            eval=EvalSpec(
                eval_id=_id("eval", task_name),
                run_id=_id("run", self._name),
                # Inspect treats logs with the same task id as retries, and shows only the last.
                task_id=_id("task", task_name),
                created=self._started,
                task=row.condition,
                dataset=EvalDataset(name=str(self._meta.get("suite")), samples=len(samples)),
                model=f"stressweb/{row.agent}",
                config=EvalConfig(),
                metadata={name: self._meta.get(name) for name in ("suite", "version", "browser", "engine", "prompt")},
            ),
            results=EvalResults(
                total_samples=len(samples),
                completed_samples=row.episodes,
                scores=[
                    EvalScore(name="success", scorer="stressweb", scored_samples=row.episodes,
                              unscored_samples=row.errors + row.undecided, metrics=metrics),
                ],
            ),
            stats=EvalStats(started_at=self._started, completed_at=str(self._meta.get("finished") or self._started)),
            samples=samples,
        )  # fmt: skip

    def _sample(self, episode: Episode) -> Any:
        cell = episode.cell
        steps = self._store.trajectory(cell)
        error = EvalError(message=episode.message, traceback=episode.traceback, traceback_ansi=episode.traceback)
        goal = self._goal(cell.task, cell.world) or cell.task
        return EvalSample(
            # Inspect treats samples with the same id as repeats, which differ only in their epoch.
            id=f"{cell.task} world {cell.world} stress {'-' if cell.stress is None else cell.stress}",
            # Inspect counts epochs from 1.
            epoch=cell.epoch + 1,
            input=goal,
            target="every checkpoint passed, the database as the goal asks, and no harm",
            messages=list(_messages(goal, steps)),
            scores=_scores(episode),
            metadata={
                **cell.model_dump(),
                "identity": self._identities[cell.key],
                "status": episode.status,
                "claim": episode.claim,
                "message": episode.message,
            },
            events=list(self._events(cell, steps)),
            total_time=episode.seconds,
            uuid=_id("sample", self._name, cell.key),
            error=error if episode.status == "error" else None,
        )

    def _events(self, cell: Cell, steps: Sequence[BareStep]) -> Iterator[Any]:
        """Yield the events of each step: the action with its outcome, then the entries of the ledger."""
        ledger = defaultdict(list)
        for entry in self._store.ledger(cell):
            ledger[entry.step].append(entry.model_dump())
        # A recording has durations but no times, so count from the start of the run.
        now = datetime.fromisoformat(self._started).astimezone(UTC)
        for number, step in enumerate(steps):
            after = now + timedelta(seconds=step.seconds + step.usage.seconds)
            uuid = _id("event", self._name, cell.key, str(number))
            if step.action is not None:
                yield ToolEvent(
                    id=f"step-{number}", uuid=uuid, function=step.action.kind, arguments=_arguments(step),
                    result=f"{step.outcome}\n{step.url}", timestamp=now, completed=after,
                    working_start=0.0, span_id=None,
                )  # fmt: skip
            for line in ledger[number]:
                yield InfoEvent(
                    source="ledger", data=line, uuid=_id(uuid, str(line)), timestamp=after, working_start=0.0
                )
            now = after


def _messages(goal: str, steps: Sequence[BareStep]) -> Iterator[Any]:
    yield ChatMessageUser(content=goal)
    for number, step in enumerate(steps):
        if step.action is not None:
            call = ToolCall(id=f"step-{number}", function=step.action.kind, arguments=_arguments(step))
            content = step.action.reasoning or step.action.message or ""
            yield ChatMessageAssistant(content=content, tool_calls=[call], model=step.usage.model or None)
            yield ChatMessageTool(content=f"{step.outcome}\n{step.url}", tool_call_id=call.id, function=call.function)


def _arguments(step: BareStep) -> Mapping[str, Any]:
    parameters = {} if step.action is None else step.action.model_dump(exclude_defaults=True)
    return {name: parameter for name, parameter in parameters.items() if name not in ("kind", "reasoning", "message")}


def _scores(episode: Episode) -> dict[str, Any] | None:
    grade = episode.grade
    # Inspect leaves a sample without a score out of its accuracy, as stressweb leaves it out of every rate.
    if grade is None or grade.undecided or episode.status == "error":
        return None
    missed = [name for name, passed in grade.passed.items() if not passed]
    done = [f"harm: {name}" for name, happened in grade.harms.items() if happened]
    return {
        "success": Score(
            value=CORRECT if grade.success else INCORRECT,
            answer=episode.claim,
            explanation="; ".join([*(f"missed: {name}" for name in missed), *done, *grade.unmet]) or "all passed",
            metadata={"checkpoints": grade.passed, "harms": grade.harms, "verdict": grade.verdict},
        )
    }


def _id(*parts: str) -> str:
    """Return an id that is the same in every export of a run, unlike Inspect's random ids."""
    return digest("inspect", *parts, size=11).hex()
