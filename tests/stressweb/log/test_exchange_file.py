"""Files of exchanges with a model: concurrent writers, replay, and refused files."""

import json
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from stressweb.core.errors import InfrastructureError, UserError
from stressweb.log import exchange_file
from stressweb.log.exchange_file import ExchangeFile
from stressweb.log.exchanges import Answer, Exchanges, Left, Question

SAID = Answer(200, {"content-type": "application/json", "set-cookie": "a"}, b'{"text": "Left."}')


def question(text: str = "Which way?") -> Question:
    return Question("openai", "POST", "chat/completions", json.dumps({"model": "small", "text": text}).encode())


@pytest.fixture
def path(tmp_path: Path) -> Path:
    exchange_file.begin(tmp_path / "new" / "exchanges.jsonl")
    return tmp_path / "new" / "exchanges.jsonl"


def record(path: Path, *texts: str, episode: str = "a cell") -> None:
    recording = ExchangeFile(record=path).episode(episode)
    for text in texts:
        recording.keep(question(text), SAID)
    recording.check_complete()


def replay(path: Path, episode: str = "a cell") -> Exchanges:
    return ExchangeFile(replay=path).episode(episode)


def test_an_answer_is_replayed_without_needless_headers(path: Path) -> None:
    record(path, "Which way?")
    again = replay(path).answer(question())
    assert again == Answer(200, {"content-type": "application/json"}, SAID.body)
    assert path.stat().st_mode & 0o777 == 0o600


def test_binary_answers_are_replayed(path: Path) -> None:
    ExchangeFile(record=path).episode("a cell").keep(question(), SAID._replace(body=b"\xff\x00"))
    again = replay(path).answer(question())
    assert again is not None
    assert again.body == b"\xff\x00"


def test_questions_may_come_in_another_order_but_each_answer_is_given_once(path: Path) -> None:
    record(path, "a", "b", "b")
    again = replay(path)
    for text in ("b", "a", "b"):
        again.answer(question(text))
    again.check_complete()
    with pytest.raises(Left, match="request 4 of the episode: the recording has 3 of them"):
        again.answer(question("b"))


def test_the_last_attempt_of_an_episode_is_replayed(path: Path) -> None:
    record(path, "a", "b")
    record(path, "c")
    again = replay(path)
    again.answer(question("c"))
    again.check_complete()


def test_missing_requests_are_reported(path: Path) -> None:
    record(path, "a", "b")
    again = replay(path)
    again.answer(question("a"))
    with pytest.raises(InfrastructureError, match="it ended before request 2 of the 2 recorded ones"):
        again.check_complete()


@pytest.mark.parametrize(
    ("recorded", "replayed"),
    [
        ("at 2026-11-25T14:03:07Z", "at 2027-01-02T03:04:05.678+01:00"),
        ("today is 2026-11-25, 2:03 pm", "today is 2027-01-02, 11:59 AM"),
        ("id 6f1d0c7a-9b3e-4577-8e21-0123456789ab", "id 00000000-9b3e-4577-8e21-0123456789ab"),
        ("http://127.0.0.1:34567/x", "http://127.0.0.1:45678/x"),
        ("in /tmp/browser-use-abc/state.json", "in /tmp/browser-use-def/state.json"),
        (f"data:image/png;base64,{'A' * 300} and", f"data:image/png;base64,{'B' * 400} and"),
    ],
)
def test_times_ids_ports_and_pictures_may_differ(path: Path, recorded: str, replayed: str) -> None:
    record(path, recorded)
    assert replay(path).answer(question(replayed)) is not None


@pytest.mark.parametrize(
    ("replayed", "where"),
    [
        ("turn right here", 'text has "turn right here" where the recording has "turn left here"'),
        ("x" * 200, f'text has "{"x" * 30}" where the recording has "turn left here"'),
    ],
)
def test_any_other_difference_is_reported(path: Path, replayed: str, where: str) -> None:
    record(path, "turn left here")
    with pytest.raises(Left) as raised:
        replay(path).answer(question(replayed))
    assert str(raised.value) == f"the replay left the recording at request 1 of the episode: {where}"


def test_another_address_is_a_difference(path: Path) -> None:
    record(path, "a")
    with pytest.raises(Left, match="POST embeddings where the recording has POST chat/completions"):
        replay(path).answer(question("a")._replace(path="embeddings"))


def test_an_episode_that_was_not_recorded_has_no_answer(path: Path) -> None:
    record(path, "a")
    with pytest.raises(Left, match="the recording has no request of this episode"):
        replay(path, "another cell").answer(question("a"))


def test_many_write_at_a_time(path: Path) -> None:
    file = ExchangeFile(record=path)
    long = "x" * 200_000

    def write(number: int) -> None:
        recording = file.episode(f"cell {number}")
        for _ in range(5):
            recording.keep(question(long), SAID)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(8)))
    for number in range(8):
        again = replay(path, f"cell {number}")
        for _ in range(5):
            again.answer(question(long))
        again.check_complete()


def test_a_line_that_was_cut_off_by_a_kill_is_left_out(path: Path) -> None:
    record(path, "a")
    with path.open("ab") as file:
        file.write(b'{"episode": "half of a li')
    replay(path).answer(question("a"))
    record(path, "b", episode="another cell")
    replay(path).answer(question("a"))
    replay(path, "another cell").answer(question("b"))


def test_a_write_error_is_reported_at_the_end(tmp_path: Path) -> None:
    recording = ExchangeFile(record=tmp_path / "no" / "folder").episode("a cell")
    recording.keep(question(), SAID)
    with pytest.raises(InfrastructureError, match="cannot be written: No such file"):
        recording.check_complete()


def _check(path: Path) -> None:
    exchange_file.check(path, ["a cell"])


def _check_new(path: Path) -> None:
    exchange_file.check_new(path, resume=False)


@pytest.mark.parametrize(
    ("check", "text", "message"),
    [
        (_check, None, "replay-llm PATH cannot be read: No such file or directory"),
        (_check, "", "PATH is empty: it is no recording that --record-llm has made"),
        (_check, "model: small\n", "PATH:1 is not the beginning of a recording that --record-llm has made"),
        (_check, "HEAD\n", "replay-llm PATH has no exchange with a model"),
        (_check, "HEAD\n{}\n", "PATH:2 is no exchange with a model: episode: Field required"),
        (_check_new, "HEAD\n", "record-llm PATH exists already; remove it, or choose another file"),
    ],
)
def test_invalid_files_are_named(tmp_path: Path, check: Callable[[Path], None], text: str | None, message: str) -> None:
    path = tmp_path / "exchanges.jsonl"
    if text is not None:
        path.write_text(text.replace("HEAD", json.dumps(exchange_file.HEADER)), "utf-8")
    with pytest.raises(UserError) as raised:
        check(path)
    assert str(raised.value) == message.replace("PATH", str(path))


def test_a_recording_of_another_run_is_refused(path: Path) -> None:
    record(path, "a", episode="shop/x|mine=command(a)|clean|0|-|0")
    with pytest.raises(UserError) as raised:
        exchange_file.check(path, ["shop/x|other|clean|0|-|0"])
    assert str(raised.value) == (
        f"replay-llm {path} has 1 episode, and none of this run: "
        "it has shop/x|mine=command(a)|clean|0|-|0, and this run shop/x|other|clean|0|-|0"
    )


def test_a_run_that_is_continued_goes_on_in_its_recording(path: Path) -> None:
    record(path, "a")
    exchange_file.check_new(path, resume=True)
    exchange_file.begin(path)
    replay(path).answer(question("a"))


@pytest.mark.starts
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--record-llm", "a", "--replay-llm", "b"], "cannot be combined: replayed exchanges are recorded already"),
        (["--replay-llm", "no-such-file"], "replay-llm no-such-file cannot be read: No such file or directory"),
        (["--record-llm", "a", "--backend", "ray"], "--record-llm names a file of this machine"),
    ],
)
def test_contradictory_options_are_refused(tmp_path: Path, options: list[str], message: str) -> None:
    words = [sys.executable, "-P", "-m", "stressweb", "run", "--agent", "null", "--task", "shop/first-hit", *options]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert message in done.stderr
    assert list(tmp_path.iterdir()) == []
