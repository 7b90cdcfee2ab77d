"""Causes of failed episodes, in a file beside the recording, which is never changed."""

import fcntl
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from stressweb.core.errors import UserError
from stressweb.core.injections import Fired
from stressweb.core.validation import first
from stressweb.core.whole_file import write_atomically
from stressweb.core.words import counted
from stressweb.log.run_file import PRIVATE_FILE

FILE = "causes.json"
_LARGEST = 16_000_000
"""Largest file that is read, in bytes."""
_SHOWN = 6
"""Causes that a sentence lists."""

Verdict = Literal["caused by", "overdetermined", "fails without any", "stopped", "slipped"]
"""caused by: the injections alone break the episode, and without them it passes. overdetermined: they alone break it,
and with only the others it fails too. fails without any: it fails undisturbed too. stopped: the budget of episodes is
used up. slipped: a replay did not fail in the same way."""


def _name(injection: tuple[str, ...]) -> tuple[str, ...]:
    # The file is untrusted, and `Cause.__str__` depends on the number of parts.
    if len(injection) not in (2, 3, 4) or (len(injection) == _ATTEMPT and not injection[2].isdecimal()):
        raise ValueError("is no name of an injection")
    return injection


_ATTEMPT = 3
"""Parts in the name of an attempt; the last one is its number."""


class Cause(BaseModel):
    """One injection, in words."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    injection: Annotated[tuple[str, ...], AfterValidator(_name)]
    """Its name: the mode, then its target, from coarse to fine."""
    step: int
    """The action during which it fired first; 0 is the first page."""
    element: str

    @classmethod
    def of(cls, fired: Fired) -> "Cause":
        """Return the cause for an injection."""
        return cls(injection=fired.injection, step=fired.step, element=fired.element)

    def __str__(self) -> str:
        """Describe it: `failure of button 'Add to cart', 1st attempt`."""
        mode, *where = self.injection
        if len(where) == 3:
            return f"{mode}: {self.element} on {where[1]}"
        if len(where) == 1:
            return f"{mode} of {self.element}"
        number = int(where[1]) + 1
        # The name of a load has `page` and a path template; the names of other attempts have the key of a control.
        if where[0].startswith("page "):
            return f"{mode} on {_nth(number)} load of {self.element}"
        return f"{mode} of {self.element}, {_nth(number)} attempt"


class Answer(BaseModel):
    """The answer of `stressweb shrink` for an episode."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    verdict: Verdict
    failure: str
    """The first checkpoint that the episode missed, or the harm that it did."""
    causes: tuple[Cause, ...] = ()
    """The smallest set found that breaks it."""
    injections: int = 0
    """Injections that fired in the episode."""
    sufficient: bool | None = None
    """Whether the set alone breaks it, on a fresh repeat; None if not tested."""
    necessary: bool | None = None
    """Whether it passes with every injection except the set."""
    episodes: int = 0
    """Episodes played for the search."""
    detail: str = ""
    """How it fails without the set or undisturbed, or what slipped."""

    def __str__(self) -> str:
        """Return the answer in one line."""
        named = "; ".join(map(str, self.causes[:_SHOWN]))
        if len(self.causes) > _SHOWN:
            named += f"; and {len(self.causes) - _SHOWN} more"
        how = f", {self.detail}" if self.detail else ""
        match self.verdict:
            case "caused by":
                return f"caused by: {named}"
            case "overdetermined":
                return f"overdetermined: {named} is enough, but the other injections break it without that, too{how}"
            case "fails without any":
                return f"undisturbed it fails too{how}"
            case "stopped":
                return f"stopped with {counted(len(self.causes), 'injection')} left: {named}"
            case "slipped":
                return f"slipped: {self.detail}"


class Effect(BaseModel):
    """The answer of `stressweb fork` for the injections of one action."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    step: int
    causes: tuple[Cause, ...]
    passed_with: tuple[bool, ...]
    """For each repeat with the injections, whether the episode passed."""
    passed_without: tuple[bool, ...]
    failures_without: tuple[str, ...] = ()
    """Distinct failures of the repeats without the injections."""

    def __str__(self) -> str:
        """Return the effect in one line."""
        named = "; ".join(map(str, self.causes[:_SHOWN]))
        both = [f"{sum(arm)} of {len(arm)} passed" for arm in (self.passed_with, self.passed_without)]
        too = f": it fails without it, too, {' or '.join(self.failures_without[:_SHOWN])}"
        return f"step {self.step}: with {named}, {both[0]}; without it, {both[1]}{too if self.failures_without else ''}"


class Findings(BaseModel):
    """All answers for one episode."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    answer: Answer | None = None
    effects: dict[int, Effect] = Field(default_factory=dict)
    """By number of the action."""


class _File(BaseModel):
    """The content of the file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    episodes: dict[str, Findings] = Field(default_factory=dict)


def read(folder: Path) -> dict[str, Findings]:
    """Return the answers for episodes of a run, by key; raises UserError for a file that is not ours."""
    path = folder / FILE
    try:
        with path.open("rb") as file:
            # One byte more than allowed reveals an oversized file.
            data = file.read(_LARGEST + 1)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror or error}") from None
    if len(data) > _LARGEST:
        raise UserError(f"{path} is larger than {_LARGEST} bytes; remove it to have the causes found again")
    # Another command has created the file and has not written its answer yet.
    if not data:
        return {}
    try:
        return _File.model_validate_json(data).episodes
    except ValidationError as error:
        raise UserError(f"{path} was not written by stressweb: {first(error, 'episodes')}; remove it") from None


def keep(folder: Path, key: str, answer: Answer | Effect) -> None:
    """Add an answer for an episode to the file, which is replaced atomically; waits for other writers."""
    with _writing_alone(folder / FILE):
        # Read again each time: another command may have added an answer.
        episodes = read(folder)
        before = episodes.get(key, Findings())
        if isinstance(answer, Answer):
            updated = before.model_copy(update={"answer": answer})
        else:
            updated = before.model_copy(update={"effects": {**before.effects, answer.step: answer}})
        # For the owner alone, like the recording: names of injections contain words of pages.
        write_atomically(
            folder / FILE, _File(episodes={**episodes, key: updated}).model_dump_json(indent=1) + "\n", private=True
        )


@contextmanager
def _writing_alone(path: Path) -> Iterator[None]:
    """Lock out other writers; raises UserError if the file cannot be written."""
    handle = _lock(path)
    while not _is_at(handle, path):
        # The previous holder has replaced the file, so this lock is on a deleted one.
        os.close(handle)
        handle = _lock(path)
    try:
        yield
    finally:
        os.close(handle)


def _lock(path: Path) -> int:
    try:
        # Not the folder, which a run keeps locked until its last episode.
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, PRIVATE_FILE)
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror or error}") from None
    fcntl.flock(handle, fcntl.LOCK_EX)
    return handle


def _is_at(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), path.lstat())
    except FileNotFoundError:
        return False


def sentences(findings_by_key: Mapping[str, Findings]) -> dict[str, Sequence[str]]:
    """Return the answers as sentences for a report, by key."""
    return {
        key: [
            *([str(findings.answer)] if findings.answer else []),
            *(str(findings.effects[step]) for step in sorted(findings.effects)),
        ]
        for key, findings in findings_by_key.items()
    }


def _nth(number: int) -> str:
    ending = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"
