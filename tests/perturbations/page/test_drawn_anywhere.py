"""Modes disturb what a page draws by any technique, and the recorder reads it."""

import json

import pytest

from scripts.waited import Recorder
from tests.support.served import READ, Stage, failure
from tests.support.stand_in_episode import StandInEpisode
from tests.support.tabs import Set
from tests.support.waiting import until

pytestmark = pytest.mark.sample(3, "ways")

INNER = "<button onclick='top.presses = (top.presses ?? 0) + 1' style='width: 200px; height: 100px'>Inner</button>"
STYLE = "<style>body { margin: 0 } iframe { border: 0; width: 300px; height: 150px }</style>"
CLASS = "const Card = class extends HTMLElement { %s }; customElements.define('x-card', Card);"
ATTACH = "this.attachShadow({ mode: '%s' }).innerHTML = inner;"
HOST = "document.querySelector('#host')"
# Markup of the body, and a script after it.
ROOTS = {
    "attached to a div": ("<div id=host></div>", f"{HOST}.attachShadow({{ mode: 'open' }}).innerHTML = inner"),
    "closed on a div": ("<div id=host></div>", f"{HOST}.attachShadow({{ mode: 'closed' }}).innerHTML = inner"),
    "in the constructor": ("<x-card></x-card>", CLASS % f"constructor() {{ super(); {ATTACH % 'open'} }}"),
    "closed in the constructor": ("<x-card></x-card>", CLASS % f"constructor() {{ super(); {ATTACH % 'closed'} }}"),
    "when connected": ("", CLASS % f"connectedCallback() {{ {ATTACH % 'open'} }}" + "document.body.append(new Card())"),
    "upgraded later": (
        "<x-card></x-card>",
        "setTimeout(() => { " + CLASS % f"constructor() {{ super(); {ATTACH % 'open'} }}" + "; top.late = 1 })",
    ),
    "declared": (f"<div><template shadowrootmode=open>{INNER}</template></div>", ""),
    "declared, closed, and taken by its element": (
        f"<x-card><template shadowrootmode=closed>{INNER}</template></x-card>",
        CLASS % "constructor() { super(); this.attachInternals() }",
    ),
    "set as markup": (
        "<div id=host></div>",
        f"{HOST}.setHTMLUnsafe(`<p><template shadowrootmode=open>${{inner}}</template>`)",
    ),
    "in a root": (
        "<div id=host></div>",
        f"""{HOST}.attachShadow({{ mode: 'open' }}).innerHTML = '<div></div>';
        {HOST}.shadowRoot.firstChild.attachShadow({{ mode: 'open' }}).innerHTML = inner""",
    ),
    "in a closed root": (
        "<div id=host></div>",
        f"""const outer = {HOST}.attachShadow({{ mode: 'closed' }}); outer.innerHTML = '<div></div>';
        outer.firstChild.attachShadow({{ mode: 'open' }}).innerHTML = inner""",
    ),
    "of a clone": (
        "",
        """const host = document.createElement("div");
        host.attachShadow({ mode: "open", clonable: true }).innerHTML = inner;
        document.body.append(host.cloneNode(true))""",
    ),
    "in a template that is used": (
        f"<template id=host><div><template shadowrootmode=open shadowrootclonable>{INNER}</template></div></template>",
        f"document.body.append(document.importNode({HOST}.content, true))",
    ),
    "before its host is drawn": (
        "",
        """const host = document.createElement("div"); const root = host.attachShadow({ mode: "closed" });
        document.body.append(host); root.innerHTML = inner""",
    ),
    "declared and closed": (f"<div><template shadowrootmode=closed>{INNER}</template></div>", ""),
}
FRAMES = {
    "at an address": ("<iframe src=/inner></iframe>", ""),
    "in an attribute": (f'<iframe srcdoc="{STYLE}{INNER}"></iframe>', ""),
    "written by a script": (
        "",
        """const frame = document.body.appendChild(document.createElement("iframe"));
        frame.contentDocument.body.innerHTML = style + inner""",
    ),
}
WAYS = {
    **{f"root {name}": way for name, way in ROOTS.items()},
    **{f"frame {name}": way for name, way in FRAMES.items()},
}
UNREACHED = {"root declared and closed"}
"""No script can access such a root, neither the page's nor ours."""
UNREAD = {name for name in WAYS if "closed" in name} | {"root before its host is drawn"}
"""Closed roots are not copied."""


def drawn(way: str) -> str:
    body, script = WAYS[way]
    inner = json.dumps(INNER)
    return (
        f"<!DOCTYPE html><html><head>{STYLE}<title>t</title></head><body><script>if (location.pathname === '/inner') document.write({inner})</script>"
        f"<div id=all></div><script>if (location.pathname === '/') document.write({json.dumps(body)})</script>"
        f"<script>{{ const inner = {inner}; const style = {json.dumps(STYLE)}; if (location.pathname === '/') {{ {script} }} }}</script></body></html>"
    )


def settled(toy: Stage) -> Stage:
    """Wait until everything is drawn."""
    for frame in toy.page.frames:
        frame.wait_for_load_state()
    if "top.late" in toy.served.html:
        toy.page.wait_for_function("window.late")
    return toy


def presses(toy: Stage) -> int:
    return int(toy.page.evaluate("window.presses ?? 0"))


@pytest.mark.parametrize("way", WAYS)
def test_a_press_on_what_is_drawn_fails(stage: Set, way: str) -> None:
    plain = settled(stage(html=drawn(way)))
    plain.page.mouse.click(50, 50)
    assert presses(plain) == 1
    toy = settled(stage(failure(), html=drawn(way)))
    toy.page.mouse.click(50, 50)
    if way in UNREACHED:
        assert presses(toy) == 1
        return
    # A frame reports by itself, perhaps after an answer of the page around it.
    until(lambda: bool(toy.reports))
    assert presses(toy) == 0
    [report] = toy.reports
    assert (report.event, report.control) == ("hit", ["button", "Inner"])
    # Its position is part of its key, so that no other control has the same one.
    inner = way.startswith("frame")
    assert report.about.startswith(("toy /inner " if "address" in way else "toy /~ ") if inner else "toy / ")


@pytest.mark.parametrize("way", WAYS)
def test_what_is_drawn_is_read(stage: Set, way: str) -> None:
    keys = []
    for rules in ((), (failure(),)):
        toy = settled(stage(*rules, html=drawn(way)))
        read = json.loads(Recorder(StandInEpisode(READ)).read(toy.page, measured=True) or "")
        keys_of_inner = [key for page in read["documents"] for key, role, name in page["controls"] if name == "Inner"]
        assert len(keys_of_inner) == (0 if way in UNREAD else 1)
        assert [f'key="{key}"' in read["copy"] for key in keys_of_inner] == [True] * len(keys_of_inner)
        keys.append(keys_of_inner)
        assert all((page["answer"] is None) is (not rules) for page in read["documents"])
    assert keys[0] == keys[1]


def test_how_many_ways_there_are() -> None:
    """The figures of docs/modes.md."""
    assert (len(ROOTS), len(FRAMES)) == (15, 3)
    assert len(WAYS.keys() - UNREACHED) == 17
