"""No stored file contains keys, tokens or passwords, even if episodes crash or their endpoint fails."""

import json
from pathlib import Path

import pytest

from stressweb.log.store import FILE, Store
from stressweb.plugins.scripted_model import Exchange, ScriptedModel
from tests.runner.external.asking_programs import ASKS, stressweb
from tests.support.programs import HEAD, Programs

OPENAI, ANTHROPIC = "sk-planted-4f1d0c7a9b3e5577", "sk-ant-planted-90aa1c22e4b7d631"
LEAKS = """
from pathlib import Path
known = Path({folder!r}) / f"{{os.getpid()}}.json"
known.write_text(json.dumps(dict(os.environ)))
print(dict(os.environ), Path(os.environ["STRESSWEB_EPISODE"]).read_text(), flush=True)
"""
"""Program that prints its environment, and stores it for the test."""
ENDINGS = {
    "crashes": "raise RuntimeError(str(dict(os.environ)))",
    "asks": "try: ask()\nexcept Exception as error: raise RuntimeError(f'{error} {os.environ}') from error",
    "says": "finish('failed', message=str(dict(os.environ)))",
}


def repeats_the_key(exchange: Exchange) -> None:
    """Fail like an endpoint that repeats the key in its error."""
    body = json.dumps({"error": {"message": f"down for {exchange.headers['authorization']}"}}).encode()
    exchange.send(503, body, {"Content-Type": "application/json"})


def secrets_of(variables: dict[str, str]) -> dict[str, str]:
    """Return the secrets in a program's environment, by kind."""
    return {
        "token": variables["STRESSWEB_FINISH_URL"].split("/")[-2],
        "password": variables["STRESSWEB_PROXY"].split(":")[2].partition("@")[0],
        "key of the relay": variables["OPENAI_API_KEY"],
    }


@pytest.mark.audit
def test_no_secret_of_a_run_that_fails_is_kept(programs: Programs, tmp_path: Path) -> None:
    known = tmp_path / "known"
    known.mkdir()
    leaks = LEAKS.format(folder=str(known))
    commands = {name: programs.python(leaks + ending, head=HEAD + ASKS) for name, ending in ENDINGS.items()}
    named = [word for name, command in commands.items() for word in ("--agent-command", f"{name}={command}")]
    runs = tmp_path / "runs"
    with ScriptedModel(repeats_the_key, key=OPENAI) as server:
        keys = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": OPENAI, "ANTHROPIC_API_KEY": ANTHROPIC}
        limits = ("--mode", "sham", "--task", "shop/first-hit", "--run", "one")
        run = stressweb(runs, "", "run", *named, *limits, **keys)
    report = stressweb(runs, "", "report", "one", "--all")
    assert (runs / "one" / "report.html").exists(), run.stderr + report.stderr
    with Store.read(runs / "one" / FILE) as store:
        episodes = [store.load(cell) for cell in store.cells()]
    assert {episode.status for episode in episodes} == {"crashed", "error", "gave_up"}
    secrets_by_program = [secrets_of(json.loads(path.read_text())) for path in known.iterdir()]
    assert len(secrets_by_program) == len(episodes)
    secrets = {OPENAI, ANTHROPIC, *(secret for own in secrets_by_program for secret in own.values())}
    assert len(secrets) == 2 + 3 * len(secrets_by_program)
    texts = [path.read_bytes() for path in runs.rglob("*") if path.is_file()]
    # The database is compressed, so the loaded episodes are searched too, and all output.
    texts += [text.encode() for text in (repr(episodes), run.stdout, run.stderr, report.stdout, report.stderr)]
    assert [secret for secret in secrets for text in texts if secret.encode() in text] == []
    # The output of the programs is kept without secrets, so the search had something to find.
    printed = [episode.traceback + episode.message for episode in episodes if episode.status != "error"]
    assert len(printed) == 6
    assert all("STRESSWEB_FINISH_URL" in text for text in printed)
    assert all("down for" in episode.message for episode in episodes if episode.status == "error")
