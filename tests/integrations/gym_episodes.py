"""Plays episodes of a host in BrowserGym with a scripted agent: `gym_episodes.py HOST_FILE BROWSER`.

The words of the site come as JSON by standard input; the rewards by condition, and how each episode ended, are printed
as JSON.
"""

import json
import re
import sys
from pathlib import Path

import gymnasium
import stressweb_browsergym
from browsergym.utils.obs import flatten_axtree_to_str
from playwright.sync_api import sync_playwright

words = json.load(sys.stdin)
host, browser = sys.argv[1:]

# BrowserGym starts the browser of its own Playwright, for its chat as well.
with sync_playwright() as playwright:
    expected = Path(playwright.chromium.executable_path)
expected.parent.mkdir(parents=True)
expected.symlink_to(browser)


def bid(tree: str, role: str, name: str, above: str = "") -> str:
    """Return the id of the first element of this role and name, below the line that holds `above`."""
    found = re.search(rf"\[(\w+)\] {role} '{re.escape(name)}'", tree[tree.index(above) :])
    assert found, tree
    return found[1]


def play(condition: str) -> dict[str, object]:
    env = gymnasium.make(
        "browsergym/stressweb.shop.first-hit",
        task_kwargs={"condition": condition},
    )
    seen, _ = env.reset(seed=0)
    assert words["query"] in seen["goal"]

    def look(seen: dict[str, object]) -> str:
        return str(flatten_axtree_to_str(seen["axtree_object"]))

    field = bid(look(seen), "searchbox", words["field"])
    env.step(f"fill({field!r}, {words['query']!r})")
    seen, *_ = env.step(f"press({field!r}, 'Enter')")
    # Where the search did not come through, it gives in.
    if words["product"] in look(seen):
        button = bid(look(seen), "button", words["button"], words["product"])
        env.step(f"click({button!r})")
    _, reward, terminated, _, info = env.step("send_msg_to_user('I have finished.')")
    env.close()
    return {"reward": reward, "terminated": terminated, "ended": info["task_info"]}


names = stressweb_browsergym.register(host)
played = {condition: play(condition) for condition in ("clean", "sham", "failure@5")}
core = [name for name in ("stressweb", "runner", "sites", "perturbations", "checkpoints") if name in sys.modules]
print(json.dumps({"names": names, "played": played, "core": core}))
