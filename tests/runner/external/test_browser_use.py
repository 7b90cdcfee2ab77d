"""The released browser-use plays in the browser of an episode; its model is a script."""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from stressweb.log.limits import Limits
from stressweb.plugins.scripted_model import Exchange, ScriptedModel, say
from stressweb.runner.world.world import World
from tests.support.example_programs import EXAMPLES, with_packages
from tests.support.gestures import Gesture, script_of
from tests.support.playing import Player
from tests.support.programs import Programs

pytestmark = pytest.mark.audit

_ELEMENT = re.compile(r"\[(\d+)\]<(\w+).*/>$")
_TAGS = {
    "link": ("a",), "button": ("button",), "combobox": ("select",), "searchbox": ("input",),
    "textbox": ("input", "textarea"),
}  # fmt: skip


def number(state: str, gesture: Gesture) -> int | None:
    """Return the number that browser-use gives an element of the page; None if it does not list the element."""
    lines = [line.strip() for line in state.splitlines()]
    numbers = []
    for before, line, behind in zip(lines, lines[1:], lines[2:], strict=False):
        element = _ELEMENT.search(line)
        # The name of a field precedes it, the name of any other element follows it. That of an icon is in its label.
        words = behind if gesture["does"] == "click" else before.rstrip(" *")
        labelled = re.search(rf"aria-label={re.escape(gesture['name'])}(?= [\w-]+=| ?/>)", line)
        if element and element[2] in _TAGS[gesture["role"]] and (labelled or words == gesture["name"]):
            numbers.append(int(element[1]))
    return numbers[gesture["nth"]] if gesture["nth"] < len(numbers) else None


class Script:
    """Model that answers with a list of actions."""

    def __init__(self, script: list[Gesture]) -> None:
        self._remaining = list(script)
        self.missing: list[Gesture] = []

    def __call__(self, question: Exchange) -> None:
        """Answer with the next action whose element exists."""
        contents = [message["content"] for message in question.body["messages"] if message["role"] == "user"]
        texts = [
            [content] if isinstance(content, str) else [part.get("text", "") for part in content]
            for content in contents
        ]
        state = "\n".join(text for message in texts for text in message)
        say(json.dumps({"evaluation_previous_goal": "", "memory": "", "next_goal": "", "action": [self._next(state)]}))(
            question
        )

    def _next(self, state: str) -> dict[str, object]:
        while self._remaining:
            gesture = self._remaining.pop(0)
            index = number(state, gesture)
            if index is None:
                self.missing.append(gesture)
            elif gesture["does"] == "click":
                return {"click": {"index": index}}
            elif gesture["does"] == "fill":
                return {"input": {"index": index, "text": gesture["text"], "clear": True}}
            else:
                return {"select_dropdown": {"index": index, "text": gesture["text"]}}
        return {"done": {"text": "", "success": True, "files_to_display": []}}


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python with browser-use and without our packages."""
    return with_packages(tmp_path_factory.mktemp("browser-use"), "browser-use>=0.13,<0.14")


@pytest.fixture(scope="module")
def player(browser: Browser, world: World) -> Iterator[Player]:
    """Plays the trajectories from which the scripts are made."""
    player = Player(browser, world)
    yield player
    player.close()


@pytest.mark.parametrize("task", ["shop/first-hit", "ride/cancel-the-later-one", "calendar/change-of-place"])
def test_it_plays_a_task(
    programs: Programs, player: Player, python: Path, task: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = script_of(player, task)
    model = Script(script)
    monkeypatch.delenv("PYTHONPATH")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BROWSER_USE_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("ANONYMIZED_TELEMETRY", "false")
    shutil.copy(EXAMPLES / "browser_use" / "agent.py", tmp_path)
    with ScriptedModel(model) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        record = programs.run(f"{python} agent.py", task=task, limits=Limits(agent_seconds=150))
    assert (record.status, record.claim, model.missing) == ("done", "done", []), record.message
    assert record.success
    kinds = {"click": "CLICK", "fill": "FILL", "select": "SELECT"}
    assert [action.kind for action in record.actions] == [*(kinds[gesture["does"]] for gesture in script), "DONE"]
    # One question before each gesture, one at the end.
    assert record.usage.tokens_in == 100 * (len(script) + 1)
    assert [entry.detail for entry in record.ledger if entry.phase == "bypass"] == []
