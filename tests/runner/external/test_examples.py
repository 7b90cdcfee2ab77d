"""The programs in `examples/` run unchanged, each in a separate environment."""

import json
import shutil
from pathlib import Path

import pytest

from stressweb.core.browser_program import find_browser
from stressweb.plugins.scripted_model import Exchange, ScriptedModel, say
from tests.support.example_programs import EXAMPLES, installed, with_packages
from tests.support.programs import Programs

pytestmark = pytest.mark.audit


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, without our packages on the path."""
    monkeypatch.delenv("PYTHONPATH", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("label", "success"), [("clean", True), ("remap@3", False)])
def test_an_agent_in_node(programs: Programs, own: Path, label: str, success: bool) -> None:
    shutil.copytree(EXAMPLES / "node", own, dirs_exist_ok=True)
    installed("npm", "install", "--no-audit", "--no-fund", where=own)
    record = programs.run("node agent.js", label)
    assert (record.status, record.claim, record.success) == ("done", "done", success), record.message
    assert [action.kind for action in record.actions] == ["FILL", "PRESS", "CLICK", "DONE"]


@pytest.mark.parametrize(("label", "success"), [("clean", True), ("remap@3", False)])
def test_an_agent_in_selenium(
    programs: Programs, own: Path, label: str, success: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It starts its own browser, with a driver of the same version."""
    if shutil.which("chromedriver") is None:
        pytest.skip("there is no chromedriver on this machine")
    shutil.copy(EXAMPLES / "selenium" / "agent.py", own)
    python = with_packages(own, "selenium")
    monkeypatch.setenv("BROWSER", str(find_browser().path))
    monkeypatch.setenv("BROWSER_ARGS", "--no-sandbox")
    record = programs.run(f"{python} agent.py", label, own_browser=True)
    assert record.success is success, record.message
    # Without a search result it finds no button, and ends with an exception.
    assert record.status == ("done" if success else "crashed"), record.message
    kinds = [action.kind for action in record.actions]
    assert kinds == (["FILL", "PRESS", "CLICK", "DONE"] if success else ["FILL", "PRESS"])
    assert record.grade is not None
    assert record.grade.unobserved == []


def test_an_agent_that_sees_pictures_and_clicks_at_places(
    programs: Programs, own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The model answers like a vision model: a click in the search field, the text, Enter, and done."""
    shutil.copy(EXAMPLES / "pictures" / "agent.py", own)
    python = with_packages(own, "websockets")
    actions = [{"click": [480, 29]}, {"type": "Orchid"}, {"press": "Enter"}, {"done": True}]
    pictures: list[str] = []

    def sees(exchange: Exchange) -> None:
        url = exchange.body["messages"][0]["content"][1]["image_url"]["url"]
        assert url.startswith("data:image/png;base64,iVBOR")
        pictures.append(url)
        say(json.dumps(actions[len(pictures) - 1]))(exchange)

    with ScriptedModel(sees) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        record = programs.run(f"{python} agent.py")
    assert (record.status, record.claim) == ("done", "done"), record.message
    assert len(pictures) == len(actions)
    assert record.actions[0].kind == "CLICK"
    assert (record.actions[0].x, record.actions[0].y) == (480, 29)
    assert record.usage.tokens_in == 100 * len(actions)
