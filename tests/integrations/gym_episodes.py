"""Plays cells of a host in BrowserGym: `gym_episodes.py HOST_FILE BROWSER`.

The cells come as JSON by standard input; the reward of each, and how it ended, are printed as JSON.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

import gymnasium
import stressweb_browsergym
from browsergym.utils.obs import flatten_axtree_to_str
from playwright.sync_api import sync_playwright

LOOKS = 5
"""Attempts to find an element, half a second apart."""

cells = json.load(sys.stdin)
host, browser = sys.argv[1:]

# BrowserGym starts the browser of its own Playwright, for its chat as well.
with sync_playwright() as playwright:
    expected = Path(playwright.chromium.executable_path)
expected.parent.mkdir(parents=True)
expected.symlink_to(browser)


def action(tree: str, gesture: dict[str, Any]) -> str | None:
    """Return the BrowserGym action of a gesture; None if its element is missing."""
    bids: list[str] = re.findall(rf"\[(\w+)\] {gesture['role']} {re.escape(repr(gesture['name']))}", tree)
    if gesture["nth"] >= len(bids):
        return None
    bid, text = bids[gesture["nth"]], gesture["text"]
    actions = {"click": f"click({bid!r})", "fill": f"fill({bid!r}, {text!r})"}
    return actions.get(gesture["does"], f"select_option({bid!r}, {text!r})")


def play(cell: dict[str, Any]) -> dict[str, object]:
    env = gymnasium.make(
        f"browsergym/stressweb.{cell['task'].replace('/', '.')}", task_kwargs={"condition": cell["condition"]}
    )
    seen, _ = env.reset(seed=0)
    goal = seen["goal"]
    for gesture in cell["script"]:
        do = None
        for _ in range(LOOKS):
            do = action(flatten_axtree_to_str(seen["axtree_object"]), gesture)
            if do is not None:
                break
            seen, *_ = env.step("noop(500)")
        if do is None:
            break
        seen, *_ = env.step(do)
        if seen["last_action_error"]:
            break
    _, reward, terminated, _, info = env.step("send_msg_to_user('I have finished.')")
    env.close()
    return {"goal": goal, "reward": reward, "terminated": terminated, "ended": info["task_info"]}


names = stressweb_browsergym.register(host)
played = [play(cell) for cell in cells]
core = [name for name in sys.modules if name.partition(".")[0] == "stressweb"]
ended = [episode["ended"] for episode in played]
print(json.dumps({"names": names, "played": played, "ended": ended, "core": core}))
