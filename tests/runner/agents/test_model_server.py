"""The agent `model` against llama.cpp's server: protocol, figures and parsing. The answers' content does not matter."""

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from stressweb.log.store import FILE, Store
from stressweb.plugins.agent import Brief, Observation
from stressweb.runner.agents.model import Model
from tests.runner.agents.third_party import ModelServer

PICTURE = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489"
    "0000000d49444154789c6360000002000001e221bc330000000049454e44ae426082"
)
LINKS = "<html><body><a href='/l'>Lamps</a> <a href='/c'>Chairs</a></body></html>"


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with ModelServer(context=2048) as running:
        yield running


def decided_once(
    server: ModelServer, page: str, *, budget: int, max_tokens: int, monkeypatch: pytest.MonkeyPatch
) -> Model:
    """Return an agent after its first decision."""
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    agent = Model(model="small", budget=budget, max_tokens=max_tokens, timeout=240)
    agent.ready(os.environ)
    agent.start(Brief(goal="Open Lamps.", start_url="http://shop.test/", seed=3))
    agent.act(Observation("http://shop.test/", page, screenshots=(PICTURE,)))
    return agent


@pytest.mark.audit
def test_a_decision_on_the_wire(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = decided_once(server, LINKS, budget=2000, max_tokens=12, monkeypatch=monkeypatch).usage
    answers = len(usage.rejected) or 1
    assert usage.dropped == ("screenshots",), "it takes a schema, a temperature and a seed, and no pictures"
    assert usage.tries == answers + 1
    assert answers * 500 < usage.tokens_in < answers * 2048
    assert usage.tokens_out == answers * 12
    assert usage.seconds > 0
    assert usage.model.endswith(".gguf")
    assert usage.request.startswith("chatcmpl-")
    # Twelve tokens are no whole answer, but they follow the schema.
    assert answers == 3
    assert all(
        re.match(r'it was cut off at .*: \{\s*"action_type": ?"', reason, re.DOTALL) for reason in usage.rejected
    )


@pytest.mark.audit
def test_a_page_that_does_not_fit_is_cut_until_it_does(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    page = f"<html><body>{'<p>some words on a page</p>' * 2000}</body></html>"
    usage = decided_once(server, page, budget=50_000, max_tokens=12, monkeypatch=monkeypatch).usage
    cuts = [part for part in usage.dropped if part.startswith("page beyond")]
    assert cuts[:2] == ["page beyond 25000 characters", "page beyond 12500 characters"]
    assert usage.tokens_out > 0


@pytest.mark.audit
@pytest.mark.timeout(1200)
def test_a_run_with_a_model_that_has_no_skill(tmp_path: Path) -> None:
    with ModelServer(context=8192) as server:
        spec = "model(budget=3000,max_tokens=200,timeout=600)"
        command = [sys.executable, "-P", "-m", "stressweb", "run", "--agent", spec, "--model", "small", "--json"]
        where = ["--base-url", server.url, "--runs-dir", str(tmp_path), "--run", "it", "--workers", "1"]
        task = ["--task", "shop/first-hit", "--mode", "clean", "--max-steps", "2"]
        started = time.monotonic()
        done = subprocess.run([*command, *where, *task], capture_output=True, text=True, timeout=1100, check=False)
        taken = time.monotonic() - started
    assert (done.returncode, done.stderr) == (0, "")
    assert {row["condition"]: row["errors"] for row in json.loads(done.stdout)["rows"]} == {"clean": 0}
    with Store.open(tmp_path / "it" / FILE) as store:
        # Clean runs twice, because a model's answers vary.
        first, second = store.episodes()
    for episode in (first, second):
        assert 1 <= episode.steps <= 2
        assert episode.usage.tokens_in > 1000
        assert 0 < episode.usage.tokens_out <= 200 * 3 * 2
        assert episode.usage.dropped == ("screenshots",)
        assert 0 < episode.usage.seconds < taken
