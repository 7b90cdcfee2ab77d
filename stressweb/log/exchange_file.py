"""The file of `--record-llm` and `--replay-llm`: JSON Lines, one exchange per line, private to its owner."""

import fcntl
import json
import os
import secrets as random
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import BinaryIO

from pydantic import ValidationError

from stressweb.core.errors import UserError
from stressweb.core.words import counted
from stressweb.log.exchanges import Exchange, Exchanges, Recording, Replay
from stressweb.log.run_file import PRIVATE_FILE

HEADER = {"format": "stressweb exchanges with language models", "version": 1}


class ExchangeFile:
    """Exchanges of a run, recorded or replayed. Many threads and processes may write to one file."""

    def __init__(self, record: Path | None = None, replay: Path | None = None) -> None:
        """Take the file to write or the file to read, or neither; raises UserError for an invalid file."""
        self._record = record
        self._places = _places(replay) if replay else None
        self._replay = replay

    def episode(self, key: str, secrets: Sequence[str] = ()) -> Exchanges:
        """Return the exchanges of one episode; `secrets` are its own and never written."""
        if self._record is not None:
            return Recording(key, random.token_hex(4), self._write, secrets)
        if self._places is not None and self._replay is not None:
            with self._replay.open("rb") as file:
                return Replay([_read(self._replay, file, place) for place in self._places.get(key, ())], secrets)
        return Exchanges()

    def _write(self, exchange: Exchange) -> None:
        assert self._record is not None
        _append(self._record, exchange.model_dump_json())


def check_new(path: Path, *, resume: bool) -> None:
    """Raise UserError for an existing file, unless it is a recording and the run is resumed."""
    if path.exists() and path.stat().st_size:
        if not resume:
            raise UserError(f"record-llm {path} exists already; remove it, or choose another file")
        _places(path, "record-llm")


def begin(path: Path) -> None:
    """Create an empty recording unless there is one; raises UserError if that fails."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or not path.stat().st_size:
            _append(path, json.dumps(HEADER))
    except OSError as error:
        raise UserError(f"record-llm {path} cannot be written: {error.strerror}") from None


def check(path: Path, episodes: Collection[str]) -> None:
    """Raise UserError for a file that is not a recording, or has none of these episodes."""
    recorded = _places(path)
    if not recorded:
        raise UserError(f"replay-llm {path} has no exchange with a model")
    if not any(key in recorded for key in episodes):
        # Agent and condition are part of the key, and are the usual difference.
        example = next(iter(recorded))
        raise UserError(
            f"replay-llm {path} has {counted(len(recorded), 'episode')}, and none of this run: "
            f"it has {example}, and this run {next(iter(episodes), 'has none')}"
        )


type _Place = tuple[int, int]
"""Offset of a line in the file, and its number."""


def _places(path: Path, option: str = "replay-llm") -> dict[str, list[_Place]]:
    """Return where the exchanges of each episode's last attempt are: an episode with an error runs again."""
    places: dict[str, list[_Place]] = {}
    attempts: dict[str, str] = {}
    try:
        with path.open("rb") as file:
            offset = 0
            for number, line in enumerate(file, 1):
                if number == 1:
                    _check_header(path, line)
                # A line without its end was being written when the run was killed.
                elif line.endswith(b"\n"):
                    exchange = _exchange(path, line, number)
                    if attempts.get(exchange.episode) != exchange.attempt:
                        attempts[exchange.episode], places[exchange.episode] = exchange.attempt, []
                    places[exchange.episode].append((offset, number))
                offset += len(line)
            if not offset:
                raise UserError(f"{path} is empty: it is no recording that --record-llm has made")
    except OSError as error:
        raise UserError(f"{option} {path} cannot be read: {error.strerror}") from None
    return places


def _read(path: Path, file: BinaryIO, place: _Place) -> Exchange:
    file.seek(place[0])
    return _exchange(path, file.readline(), place[1])


def _check_header(path: Path, line: bytes) -> None:
    try:
        header = json.loads(line)
    except ValueError:
        header = None
    if header != HEADER:
        raise UserError(f"{path}:1 is not the beginning of a recording that --record-llm has made")


def _exchange(path: Path, line: bytes, number: int) -> Exchange:
    try:
        return Exchange.model_validate_json(line)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the line"
        raise UserError(f"{path}:{number} is no exchange with a model: {where}: {first['msg']}") from None


def _append(path: Path, line: str) -> None:
    """Append one whole line, even with concurrent writers."""
    handle = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, PRIVATE_FILE)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        size = os.fstat(handle).st_size
        # A killed process may have left part of a line, which must not become part of this one.
        torn = size and os.pread(handle, 1, size - 1) != b"\n"
        if torn:
            os.ftruncate(handle, _whole(handle, size))
        rest = memoryview(f"{line}\n".encode())
        while rest:
            rest = rest[os.write(handle, rest) :]
    finally:
        os.close(handle)


def _whole(handle: int, size: int) -> int:
    """Return the offset after the last whole line."""
    step = 1 << 16
    end = size
    while end > 0:
        begins = max(0, end - step)
        newline = os.pread(handle, end - begins, begins).rfind(b"\n")
        if newline >= 0:
            return begins + newline + 1
        end = begins
    return 0
