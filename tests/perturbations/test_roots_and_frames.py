"""Whole episodes on pages with shadow roots and frames, on pages that are restored, and on pages loaded ahead."""

import http.client
import json
from typing import Any

import pytest
from mitmproxy.http import Request
from playwright.sync_api import Browser

from scripts.waited import perform
from stressweb.core.browser_program import find_browser, is_root, launch_args
from stressweb.core.conditions import CLEAN, parse
from stressweb.core.draws import Seeds
from stressweb.html.annotated import Annotated, html_for_agent
from stressweb.html.annotated_form import digest
from stressweb.perturbations import MODES
from stressweb.perturbations.addons import early_loads
from stressweb.perturbations.remap.explicit import HINTS
from stressweb.perturbations.stream import asks_early
from stressweb.plugins.actions import Action
from stressweb.runner.world.serve_site import serve_site
from stressweb.runner.world.world import World
from tests.support import proxied
from tests.support.toy import PAGE, Toy
from tests.support.toy_stage import Set, Stage
from tests.support.upstream import NAVIGATION
from tests.support.waiting import until

pytestmark = pytest.mark.sample(2, "file")

FORM = "<p>Some words about lamps.</p><form method=post action=/do><input name=word aria-label=Word><button>Send {name}</button></form>"
SRCDOC = FORM.replace("{name}", "aside").replace("<form", "<form target=_top") + "<a href=/done target=_top>Away</a>"
DEEP = PAGE.replace("{path}", "all").replace(
    "</main>",
    f"""<x-card><template shadowrootmode="open">{FORM.replace("{name}", "card")}<slot></slot></template>Words in a slot.</x-card>
    <iframe title="Aside" srcdoc="{SRCDOC}"></iframe><iframe title="Written"></iframe><iframe src="/inner" title="Inner"></iframe>
    <script>if (self === top) {{
      document.querySelectorAll("iframe")[1].contentDocument.body.innerHTML = '<button onclick="top.pressed = (top.pressed || 0) + 1">Press me</button> <p>Said by a script.</p>';
    }} else document.querySelectorAll("iframe").forEach((frame) => frame.remove())</script></main>""",
)


def open_deep_page(stage: Set, condition: str) -> Stage:
    toy = stage(condition, Toy(DEEP))
    for frame in toy.page.frames:
        frame.wait_for_load_state()
    return toy


def recorded(toy: Stage) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(toy.recorder.read(toy.page, measured=False) or "")
    toy.recorder.pass_on(read)
    return read


def engine_notes(toy: Stage) -> list[str]:
    return [
        f"{entry.phase} {entry.detail}" for entry in toy.episode.perturber.entries if entry.mode in ("engine", "world")
    ]


@pytest.mark.parametrize("condition", ["sham", "noise@5", "chaos@5", "remap@5", "noise@5+chaos@5+failure@5"])
def test_the_canonical_form_and_keys_are_those_of_the_clean_page(stage: Set, condition: str) -> None:
    clean, toy = (open_deep_page(stage, label) for label in ("clean", condition))
    plain, read = (recorded(arm)["copy"] for arm in (clean, toy))
    assert digest(read) == digest(plain)
    assert [*Annotated(read).keys.values()] == [*Annotated(plain).keys.values()]
    assert len(set(Annotated(plain).keys.values())) == len(Annotated(plain).keys) > 20
    assert engine_notes(toy) == []
    assert (html_for_agent(read) == html_for_agent(plain)) is ("noise" not in condition)
    delivered = [entry for entry in toy.episode.perturber.entries if entry.phase == "delivered"]
    assert bool(delivered) is ("noise" in condition or "chaos" in condition)


def test_noise_is_in_roots_and_in_every_frame(stage: Set) -> None:
    read = recorded(open_deep_page(stage, "noise@5"))
    root = Annotated(read["copy"]).root
    whole = html_for_agent(read["copy"])
    assert len(read["documents"]) == 4
    for part in ('shadowrootmode="open"', 'framedocument="about:srcdoc"', 'framedocument="about:blank"', "/inner"):
        start = whole.index(part if part.startswith(("shadow", "frame")) else '/inner">')
        end = whole.index("</template>", start)
        assert whole[start:end] not in recorded(open_deep_page(stage, "clean"))["copy"], part
    assert len([*root.iter("template")]) == 5


@pytest.mark.parametrize(
    ("selector", "name"),
    [("x-card button", "Send card"), ('[title="Aside"] + template button', "Send aside"),
     ('[title="Written"] + template button', "Press me"), ('[title="Inner"] + template x-card button', "Send card")],
)  # fmt: skip
def test_what_an_agent_does_there_is_decided_and_told(stage: Set, selector: str, name: str) -> None:
    toy = open_deep_page(stage, "failure(rate=1)")
    recorded(toy)
    assert perform(toy.page, Action(kind="CLICK", selector=selector)).ok
    recorded(toy)
    [line] = toy.lines("delivered")
    assert name in line.element
    assert (toy.posts(), toy.page.evaluate("window.pressed ?? 0")) == ([], 0)
    assert toy.episode.faults() == []
    assert engine_notes(toy) == []
    clean = open_deep_page(stage, "clean")
    assert perform(clean.page, Action(kind="CLICK", selector=selector)).ok
    if name == "Press me":
        assert clean.page.evaluate("window.pressed") == 1
    else:
        # The answer to a form in a frame may load in the frame.
        until(lambda: len(clean.posts()) == 1)


def test_entries_in_frames_fail_as_a_whole(stage: Set) -> None:
    toy = open_deep_page(stage, "failure(rate=1)")
    for selector in ("x-card input", '[title="Aside"] + template input'):
        assert perform(toy.page, Action(kind="FILL", selector=selector, text="lost")).ok
        assert perform(toy.page, Action(kind="TYPE", selector=selector, text="gone")).ok
    root = Annotated(recorded(toy)["copy"]).root
    assert {field.get("value") for field in root.iter("input") if field.get("aria-label") == "Word"} == {None}
    assert len(toy.lines("delivered")) >= 2


@pytest.mark.parametrize("slow", ["", "<script src=/slow></script>"])
def test_the_instruction_is_on_the_page_and_not_in_its_parts(stage: Set, slow: str) -> None:
    """A slow part has our script before its load, a fast one afterwards."""
    toy = stage("remap_explicit@5", Toy(PAGE.replace("</main>", f'<iframe srcdoc="{slow}{SRCDOC}"></iframe></main>')))
    part = toy.page.frames[1]
    part.wait_for_load_state()
    recorded(toy)
    instructions = [sum(frame.get_by_text(hint).count() for hint in HINTS) for frame in (toy.page.main_frame, part)]
    assert instructions == [1, 0]
    assert [entry.count for entry in toy.episode.perturber.entries if entry.phase == "delivered"] == [1]


def test_attempts_in_a_frame_are_counted_over_its_documents(stage: Set) -> None:
    toy = open_deep_page(stage, "failure(rate=1)")
    for _ in range(3):
        assert perform(toy.page, Action(kind="CLICK", selector='[title="Aside"] + template a')).ok
        toy.page.evaluate(
            "() => { const [frame] = document.querySelectorAll('iframe'); frame.srcdoc += ' '; return new Promise((done) => (frame.onload = done)) }"
        )
        recorded(toy)
    assert [line.attempt for line in toy.lines("delivered")] == [0, 1, 2]
    assert engine_notes(toy) == []


def test_a_frame_without_scripts_is_one_that_is_not_reached(stage: Set) -> None:
    page = DEEP.replace('<iframe title="Aside"', '<iframe title="Aside" sandbox="allow-same-origin"')
    toy = stage("failure@5", Toy(page))
    for frame in toy.page.frames:
        frame.wait_for_load_state()
    assert "Send aside" in recorded(toy)["copy"]
    assert engine_notes(toy) == ["unreached /~aside"]


@pytest.mark.parametrize(
    "policy",
    [
        "script-src 'self' 'unsafe-inline'",
        "script-src 'nonce-abc'",
        "default-src 'none'; script-src 'nonce-abc' 'strict-dynamic'",
    ],
)
def test_frames_are_reached_under_the_sites_policy(stage: Set, policy: str) -> None:
    toy = stage("failure(rate=1)", Toy(DEEP.replace("<script>", "<script nonce=abc>"), policy=policy))
    for frame in toy.page.frames:
        frame.wait_for_load_state()
    recorded(toy)
    assert perform(toy.page, Action(kind="CLICK", selector='[title="Aside"] + template button')).ok
    recorded(toy)
    assert len(toy.lines("delivered")) == 1
    assert engine_notes(toy) == []


ANEW = {
    "opened by the page": "(html) => { const page = document.querySelector('iframe').contentDocument; page.open(); page.write(html); page.close(); }",
    "opened by itself": "(html) => { const { contentWindow } = document.querySelector('iframe'); contentWindow.eval(`document.open(); document.write(${JSON.stringify(html)}); document.close()`); }",
    "another one": "(html) => { document.querySelector('iframe').srcdoc = html; return new Promise((done) => (document.querySelector('iframe').onload = () => done())); }",
    "in a frame of its own": "(html) => { const frame = document.createElement('iframe'); document.querySelector('iframe').replaceWith(frame); frame.title = 'Aside'; frame.contentDocument.open(); frame.contentDocument.write(html); frame.contentDocument.close(); }",
}


@pytest.mark.parametrize("way", ANEW)
@pytest.mark.parametrize("read", [False, True])
def test_a_document_in_a_frame_that_is_written_anew_is_reached(stage: Set, way: str, *, read: bool) -> None:
    toy = open_deep_page(stage, "failure(rate=1)")
    recorded(toy)
    toy.page.evaluate(ANEW[way], "<button>Anew</button>")
    if read:
        recorded(toy)
    assert perform(toy.page, Action(kind="CLICK", selector='[title="Aside"] + template button')).ok
    recorded(toy)
    [line] = toy.lines("delivered")
    assert "Anew" in line.element
    assert engine_notes(toy) == []


def test_the_browser_of_a_run_keeps_no_page_so_that_going_back_loads_it_again(stage: Set) -> None:
    toy = stage("popup@5", Toy())
    toy.page.evaluate("window.left_over = true")
    toy.page.goto("http://toy.test/beta")
    loads = len(toy.stress().documents)
    toy.page.go_back()
    assert toy.page.evaluate("window.left_over") is None
    assert len(toy.stress().documents) == loads + 1


def test_a_page_that_comes_back_as_it_was_goes_on(stage: Set) -> None:
    """As in a browser with a back/forward cache: the page is frozen, shown again, and gets `pageshow`."""
    toy = stage("failure(rate=1)", Toy())
    recorded(toy)
    assert perform(toy.page, Action(kind="CLICK", selector="#save")).ok
    session = toy.page.context.new_cdp_session(toy.page)
    for state in ("frozen", "active"):
        session.send("Page.setWebLifecycleState", {"state": state})
    toy.page.evaluate(
        "['pagehide', 'pageshow'].forEach((name) => dispatchEvent(new PageTransitionEvent(name, { persisted: true })))"
    )
    documents = len(toy.stress().documents)
    assert perform(toy.page, Action(kind="CLICK", selector="#save")).ok
    assert perform(toy.page, Action(kind="FILL", selector="#name", text="lost")).ok
    recorded(toy)
    assert [(line.element.partition(" /")[0], line.attempt) for line in toy.lines("delivered")][:2] == [
        (toy.lines("delivered")[0].element.partition(" /")[0], 0),
        (toy.lines("delivered")[0].element.partition(" /")[0], 1),
    ]
    assert toy.page.input_value("#name") == ""
    assert (toy.posts(), len(toy.stress().documents), engine_notes(toy)) == ([], documents, [])


@pytest.mark.audit
@pytest.mark.parametrize("condition", ["clean", "failure(rate=1)"])
def test_a_page_is_loaded_when_it_is_shown_and_not_before(
    browser: Browser, world: World, condition: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A browser that Playwright connects to a proxy loads no page ahead; a user's own browser may."""
    url = serve_site(world, Toy(), parse(condition, MODES)[0], Seeds(0, 0, "toy/x"))
    counts = world.episodes.bindings[int(url.rstrip("/").rpartition(":")[2])]
    # Like a person's browser, it resolves names below `localhost` itself.
    own = browser.browser_type.launch(executable_path=find_browser().path, args=launch_args()[: int(is_root())])
    page = own.new_page()
    early: list[bool] = []

    def noted(request: Request) -> bool:
        early.append(asks_early(request))
        return early[-1]

    monkeypatch.setattr(early_loads, "asks_early", noted)
    page.goto(url)
    started = counts.started
    page.evaluate(
        """() => document.head.append(Object.assign(document.createElement("script"), { type: "speculationrules",
          text: JSON.stringify({ prerender: [{ urls: ["/alpha"], eagerness: "immediate" }] }) }))"""
    )
    until(lambda: any(early))
    assert counts.started == started
    page.goto(url.rstrip("/") + "/alpha")
    activation = "[document.prerendering, performance.getEntriesByType('navigation')[0].activationStart]"
    assert page.evaluate(activation) == [False, 0]
    assert page.inner_text("h1") == "Hello /alpha"
    assert counts.started > started
    own.close()


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Sec-Purpose": "prefetch;prerender"}, 503),
        ({"Sec-Purpose": "prefetch"}, 503),
        ({"Purpose": "prefetch"}, 503),
        ({}, 200),
    ],
)
def test_what_is_asked_for_early_is_refused(world: World, headers: dict[str, str], status: int) -> None:
    episode = world.open(Toy(), CLEAN, Seeds(0, 0, "toy/x"))
    connection = http.client.HTTPConnection("127.0.0.1", episode.port)
    headers = {**headers, **proxied.header(episode)}
    connection.request("GET", "http://toy.test/", headers={**NAVIGATION, **headers})
    assert connection.getresponse().status == status
    # A fetch of a script, or a prefetch of a link, is not a document.
    connection = http.client.HTTPConnection("127.0.0.1", episode.port)
    connection.request("GET", "http://toy.test/", headers={**headers, "Sec-Fetch-Dest": "empty"})
    assert connection.getresponse().status == 200
    assert episode.faults() == []
    episode.close()
