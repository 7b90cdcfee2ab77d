"""chaos.js: what moves, what stays reachable, and that the document stays unchanged."""

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import Browser

from stressweb.core.draws import Seeds
from stressweb.core.injections import AllowedInjections, Injection, Strengths
from stressweb.perturbations.chaos import Chaos
from stressweb.perturbations.chaos.rule import PARAMETERS, ChaosRule
from stressweb.perturbations.page.fingerprint import SCRIPTS
from stressweb.plugins.rule import Narrowing
from tests.examples import examples
from tests.perturbations.bundled import changed
from tests.perturbations.chaos.sited import Sited
from tests.perturbations.script_rules import SPOILT, script_rule
from tests.perturbations.site_pages import pages
from tests.support.crawl import Visited
from tests.support.served import Stage, chaos
from tests.support.tabs import Set
from tests.support.toy import PAGE
from tests.support.waiting import until

SEVERITIES = (1, 2, 3, 4, 5)
SHOWN = (
    ("shop", "", ""), ("shop", "", "c"), ("shop", "", "register"), ("shop", "saver", "cart"),
    ("calendar", "", "month"), ("calendar", "", "week"), ("calendar", "", "new"),
)  # fmt: skip

pytestmark = pytest.mark.sample(12, "file")
TARGETS = """() => Array.from(document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea"))
  .map((element) => {
    element.scrollIntoView({block: "center", behavior: "instant"});
    const box = element.getBoundingClientRect();
    const at = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    const hit = at !== null && (element.contains(at) || at.contains(element) && at.localName === "label");
    const field = ["input", "select", "textarea"].includes(element.localName);
    return {text: element.textContent, hit, field, size: Math.min(box.width, box.height)};
  })"""
LETTERS = """() => Array.from(document.querySelectorAll("a, h1, h2, p, button, label")).map((element) => {
  let scale = 1;
  for (let ancestor = element; ancestor; ancestor = ancestor.parentElement) scale *= parseFloat(getComputedStyle(ancestor).scale) || 1;
  return element.checkVisibility() ? parseFloat(getComputedStyle(element).fontSize) * scale : 1000;
})"""
LOOK = "(e) => { const s = getComputedStyle(e); return [s.translate, s.rotate, s.scale, s.fontSize, s.marginTop] }"
LOOKS = f"(selector) => Array.from(document.querySelectorAll(selector), {LOOK})"
MARKUP = """() => [document.documentElement.outerHTML, document.adoptedStyleSheets.length, document.styleSheets.length,
  document.querySelectorAll("[style]").length, Object.getOwnPropertyNames(window).sort().join()]"""
STILL = ["none", "none", "none"]
CALM = {"shrink": 0, "grow": 0, "rotate": 0, "shift": 0, "skew": 0, "smaller": 0, "larger": 0, "margin": 0}
HELD = "<!DOCTYPE html><html><head></head><body style='margin: 150px'>{}</body></html>"
TEXTS = "".join(f"<p style='margin: 0; width: 200px; font-size: 20px'>Text {n}</p>" for n in range(9))
APART = HELD.format(f"<main style='display: grid; gap: 150px; justify-items: start'>{TEXTS}</main>")
LONG = f"""<style>a {{ transition: all 1s }}</style><ul>{
    "".join(
        f"<li><article><h3>Item {n}</h3><p>What the item {n} is,"
        f" in a few words more.</p><a href=/{n}>Details of {n}</a> <button type=button>Add {n}</button></article></li>"
        for n in range(120)
    )
}</ul><script>document.querySelector("li:nth-child(60) button").focus()</script>"""
# Counts hit tests and the events that the page's scripts get.
MET = """window.hits = 0;
window.heard = [];
for (const type of ["focus", "blur", "transitionrun", "transitioncancel"]) {
  addEventListener(type, () => heard.push(type), true);
}
const { elementFromPoint } = Document.prototype;
Document.prototype.elementFromPoint = function (...point) {
  hits += 1;
  return elementFromPoint.apply(this, point);
};"""
type Look = dict[str, Any]


def looks(toy: Stage, selector: str = "body *") -> list[list[str]]:
    """Return shift, rotation, scale, font size and margin of elements."""
    return list(toy.page.evaluate(LOOKS, selector))


def moved(toy: Stage) -> list[int]:
    """Return the number of moved blocks in each report."""
    return [report.value for report in toy.reports if report.event == "moved"]


def page_of(name: str, persona: str, kind: str) -> Visited:
    """Return a page of a site by its kind."""
    return next(page for page in pages(name, persona) if page.kind == kind)


@pytest.fixture(scope="module", params=[1280, 390])
def sited(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Callable[..., Look]]:
    """Show pages of the sites, wide or narrow, and measure their looks."""
    context = browser.new_context(viewport={"width": request.param, "height": 800})
    sited = Sited(context)

    @cache
    def look(page: Visited, severity: int | None) -> Look:
        tab = sited.show(page, *([] if severity is None else [chaos(severity)]))
        measured = {"markup": tab.evaluate(MARKUP), "targets": tab.evaluate(TARGETS), "letters": tab.evaluate(LETTERS)}
        width = tab.evaluate("Math.max(document.documentElement.scrollWidth, innerWidth)")
        return {**measured, "width": width, "looks": tab.evaluate(LOOKS, "body *"), "reports": [*sited.reports]}

    yield look
    context.close()


@pytest.mark.sample(2)
@pytest.mark.parametrize("severity", SEVERITIES)
@pytest.mark.parametrize(("name", "persona", "kind"), SHOWN)
def test_sites_stay_within_reach(sited: Callable[..., Look], name: str, persona: str, kind: str, severity: int) -> None:
    """Each control can be hit at its centre and is large enough, letters are legible, and the document is the site's."""
    page = page_of(name, persona, kind)
    calm, wild = sited(page, None), sited(page, severity)
    assert len(calm["targets"]) > 4
    for calm_target, wild_target in zip(calm["targets"], wild["targets"], strict=True):
        assert wild_target["hit"] or not calm_target["hit"], wild_target
        assert wild_target["size"] >= min(calm_target["size"], 24 if wild_target["field"] else 28) - 1, wild_target
    for before, now in zip(calm["letters"], wild["letters"], strict=True):
        assert now >= min(before, 9) - 0.01
    assert wild["width"] <= calm["width"] + 3
    assert wild["markup"] == calm["markup"]
    assert [report for report in wild["reports"] if '"fault"' in report] == []
    # The controls must not be reachable merely because nothing has moved.
    changed = sum(calm_look != wild_look for calm_look, wild_look in zip(calm["looks"], wild["looks"], strict=True))
    assert changed > 10


class TestLooks:
    """Each block has its drawn distortion, and no markup shows it."""

    def test_nothing_of_it_stands_in_the_document(self, stage: Set) -> None:
        calm, wild = stage(chaos(0)), stage(chaos(5))
        assert wild.page.evaluate(MARKUP) == calm.page.evaluate(MARKUP)
        assert looks(wild) != looks(calm)
        assert wild.page.screenshot() != calm.page.screenshot()

    def test_at_severity_0_the_page_is_left_alone(self, stage: Set) -> None:
        toy, plain = stage(chaos(0)), stage()
        toy.read()
        assert toy.page.evaluate("document.getAnimations().length") == 0
        assert looks(toy) == looks(plain)
        assert toy.reports == []

    def test_it_is_the_same_in_every_run_and_another_with_other_seeds(self, stage: Set) -> None:
        first_run, second_run, other_seed = stage(chaos(4)), stage(chaos(4)), stage(chaos(4, Seeds(0, 1, "toy/x")))
        assert looks(first_run) == looks(second_run) != looks(other_seed)
        first_run.page.reload()
        assert looks(first_run) == looks(second_run)
        first_run.read()
        assert looks(first_run) == looks(second_run)

    @pytest.mark.parametrize("severity", SEVERITIES)
    def test_a_block_with_room_is_drawn_as_its_draws_say(self, stage: Set, severity: int) -> None:
        rule = chaos(severity)
        toy = stage(rule, html=APART)
        for index, (shift, turn, scale, font, margin) in enumerate(looks(toy, "p")):
            drawn = rule.distortion(f"toy / p Text {index}  1")
            across, down = (float(length.removesuffix("px")) for length in (*shift.split(), "0")[:2])
            assert (across, down) == pytest.approx(drawn[2:4], abs=0.01)
            assert float(turn.removesuffix("deg")) == pytest.approx(drawn[1], abs=0.01)
            assert float(scale) == pytest.approx(drawn[0], abs=0.01)
            # In quarters of a pixel, rounded up.
            assert 0 <= float(font.removesuffix("px")) - 20 * drawn[5] + 0.01 <= 0.26
            assert float(margin.removesuffix("px")) == pytest.approx(drawn[6], abs=0.01)
        slant = toy.page.evaluate("getComputedStyle(document.querySelector('p')).transform")
        assert slant.startswith("matrix(1, 0, ")

    def test_what_the_page_itself_has_moved_keeps_its_place(self, stage: Set) -> None:
        html = APART.replace("<p style='", "<p style='translate: 3px; rotate: 2deg; transform: scaleX(0.9); ", 1)
        toy = stage(chaos(3), html=html)
        first, second = looks(toy, "p")[:2]
        assert first[:2] == ["3px", "2deg"]
        assert first[2:4] != ["none", "20px"]
        assert "none" not in second
        assert (
            toy.page.evaluate("getComputedStyle(document.querySelector('p')).transform") == "matrix(0.9, 0, 0, 1, 0, 0)"
        )

    def test_a_drawing_keeps_its_inside(self, stage: Set) -> None:
        html = PAGE.replace("<h2>", '<svg width="80" height="20"><a href="/x"><text y="15">Sign</text></a></svg><h2>')
        toy = stage(chaos(), html=html)
        assert {tuple(look[:3]) for look in looks(toy, "svg, svg *, option")} == {tuple(STILL)}

    def test_a_block_that_holds_what_is_placed_from_outside_stays(self, stage: Set) -> None:
        """A rotated block would become the containing block of its fixed descendants."""
        inner = "<i style='position: {}; top: 900px; left: 900px'>Far</i>"
        html = APART.replace("Text 0", "Text " + inner.format("absolute")).replace("Text 1", inner.format("fixed"))
        near = inner.format("absolute").replace("900px", "5px")
        html = html.replace("Text 2", f"Text <b style='position: relative'>{near}</b>")
        toy, calm = stage(chaos(), html=html), stage(html=html)
        distorted, still = looks(toy, "p"), looks(calm, "p")
        assert distorted[:2] == still[:2]
        assert "none" not in distorted[2] + distorted[3]


class TestWithinReach:
    """Limits of distortions: letters, bars, frames, neighbours, clipping and scrolling."""

    def test_letters_stay_legible(self, stage: Set) -> None:
        """Letters on the screen, including the scale, are nowhere below 9 pixels."""
        html = "<!DOCTYPE html><title>Far apart</title>" + "".join(
            f'<p style="margin:120px;font-size:{size}px">So many words</p>' for size in (8, 10, 14, 18, 24)
        )
        for stress in range(4):
            rule = chaos(3, Seeds(0, stress, "toy/x"), shrink=0.9, smaller=0.8)
            sizes = stage(rule, html=html).page.evaluate(LETTERS)
            assert min(sizes) > 7.99
            assert min(sizes[1:]) > 8.99
            assert sizes != [8, 10, 14, 18, 24]
            assert min(sizes[1:]) < 11

    def test_what_a_bar_or_a_frame_would_hide_stays_out_of_its_way(self, stage: Set) -> None:
        """Targets close under a fixed bar, in a clipping frame, and close to one another."""
        crowd = "".join(f'<a href="/{n}" style="padding:2px">{n}</a>' for n in range(40))
        html = f"""<!DOCTYPE html><html><head><title>Tight</title></head><body style="margin:0;font-size:12px">
        <div style="position:fixed;inset:0 0 auto 0;height:40px;background:#ddd;z-index:5"><a href="/top">Top</a></div>
        <div style="margin-top:42px"><button>Close under</button></div>
        <div style="overflow:hidden;width:110px;height:22px"><button>Cut off here</button></div>
        <div style="overflow:auto;width:200px;height:60px"><p>One</p><p>Two</p><p>Three</p><button>Deep down</button></div>
        <div style="width:300px;line-height:1.1">{crowd}</div><div style="height:2000px"></div><button>Last</button></body></html>"""
        for stress in range(4):
            calm, wild = stage(html=html), stage(chaos(5, Seeds(0, stress, "toy/x")), html=html)
            before, after = calm.page.evaluate(TARGETS), wild.page.evaluate(TARGETS)
            assert [target["hit"] for target in after] == [target["hit"] for target in before]
            assert sum(target["hit"] for target in before) > 40
            assert moved(wild)[0] > 20

    CHIPS = """<!DOCTYPE html><html><head><title>Day</title><style>
    main { display: grid; grid-template-rows: repeat(12, 28px) }
    .chip { overflow: hidden; min-height: 0 }</style></head><body><main>%s</main></body></html>"""
    CUT = """() => Array.from(document.querySelectorAll(".chip"), (chip) => {
      const box = chip.querySelector("a").getBoundingClientRect();
      const at = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
      return [chip.scrollHeight <= chip.clientHeight + 2, at !== null && chip.contains(at), chip.scrollTop];
    })"""

    def test_what_cuts_off_its_text_cuts_off_no_more_of_it(self, stage: Set) -> None:
        """A margin shrinks a box of fixed size; a script could still scroll to the clipped part, a user cannot."""
        html = self.CHIPS % "".join(f'<div class="chip"><a href="/{n}">Item {n}</a></div>' for n in range(12))
        for stress in range(6):
            toy = stage(chaos(5, Seeds(0, stress, "toy/x")), html=html)
            assert toy.page.evaluate(self.CUT) == [[True, True, 0]] * 12

    LIST = """<!DOCTYPE html><html style="height: 100%"><head></head><body style="height: 100%; margin: 0"><main
    style="height: 100%; overflow: auto"><h1>Long list</h1>{}</main></body></html>"""

    def test_a_page_that_scrolls_in_a_part_of_it_is_reached_throughout(self, stage: Set) -> None:
        html = self.LIST.format("".join(f"<p><a href=/{n}>Item {n}</a></p>" for n in range(80)))
        calm, wild = stage(html=html), stage(chaos(), html=html)
        before, after = calm.page.evaluate(TARGETS), wild.page.evaluate(TARGETS)
        assert [chip["hit"] for chip in after] == [chip["hit"] for chip in before] == [True] * 80
        assert wild.page.evaluate("document.querySelector('main').scrollTop") > 0
        assert sum(look[:3] != STILL for look in looks(wild, "p")) > 60

    def test_what_was_covered_before_stays_as_it_is(self, stage: Set) -> None:
        """Otherwise it would be unclear whether we have covered it."""
        html = APART.replace(
            "Text 0</p>",
            "Text 0</p><button id=b>Under</button><div style='position: absolute; top: 0; left: 0; width: 900px;"
            " height: 800px'></div>",
        )
        toy = stage(chaos(), html=html)
        assert looks(toy, "#b")[0][:3] == STILL
        assert looks(toy, "p")[8][:3] != STILL

    def test_it_waits_until_a_dialog_is_closed(self, stage: Set) -> None:
        """Under a dialog no element can be hit: new elements are fitted once it is closed."""
        html = PAGE.replace("<h2>", '<dialog id="own"><button id="ok">OK</button></dialog><h2>').replace(
            "</body>", "<script>own.showModal(); ok.onclick = () => own.close();</script></body>"
        )
        toy = stage(chaos(), html="<head></head>" + html)
        toy.read()
        assert looks(toy, "h2")[0][:3] == STILL
        assert moved(toy) == []
        toy.page.click("#ok")
        toy.page.wait_for_function("getComputedStyle(document.querySelector('h2')).rotate !== 'none'")
        assert len(moved(toy)) == 1

    def test_the_page_hears_of_no_scrolling_and_stays_where_it_is(self, stage: Set) -> None:
        far = '<p style="margin-top:3000px">Far down</p><div style="position: fixed; top: 0">Bar</div></main>'
        listens = "<script>seen = 0; addEventListener('scroll', () => (seen += 1), true)</script></main>"
        html = PAGE.replace("</main>", far).replace("</main>", listens)
        toy = stage(chaos().model_copy(update={"tells": True}), html=html)
        toy.page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        assert toy.page.evaluate("[scrollX, scrollY, seen]") == [0, 0, 0]
        toy.page.evaluate("scrollTo(0, 700)")
        toy.page.evaluate("document.querySelector('main').prepend(document.createElement('p'))")
        toy.page.evaluate("document.querySelector('main p').textContent = 'Words'")
        # The browser itself scrolls by the height of new content above.
        here = toy.page.evaluate("scrollY")
        toy.read()
        assert toy.page.evaluate("scrollY") == here > 600
        first, *_, last = (report.value for report in toy.reports if report.event == "fitted")
        # The fit does not depend on the scroll position.
        assert last == {**first, "toy / p Words  1": 1}


class TestWhateverIsDrawn:
    """Blocks are disturbed whenever and wherever they are drawn."""

    ADD = "() => { const made = document.createElement('p'); made.textContent = 'New'; document.body.append(made) }"

    def test_what_is_added_is_disturbed_before_a_read(self, stage: Set) -> None:
        toy = stage(chaos(), html=APART)
        before = looks(toy, "p")
        toy.page.evaluate(self.ADD)
        toy.read()
        assert looks(toy, "p")[:9] == before
        assert looks(toy, "p")[9][:3] != STILL
        assert moved(toy) == [9, 1]

    def test_what_no_read_has_seen_is_not_told(self, stage: Set) -> None:
        """The timing of style sheets and data depends on the machine; the ledger must not."""
        toy = stage(chaos(), html=APART, watched=False)
        assert all(look[:3] != STILL for look in looks(toy, "p"))
        assert moved(toy) == []
        toy.page.evaluate("document.querySelectorAll('p:nth-child(-n + 5)').forEach((element) => element.remove())")
        toy.read()
        assert moved(toy) == [4]
        toy.page.evaluate(self.ADD)
        until(lambda: looks(toy, "p")[4][:3] != STILL)
        assert moved(toy) == [4]
        toy.read()
        assert moved(toy) == [4, 1]
        toy.read()
        assert moved(toy) == [4, 1]

    def test_a_read_before_an_action_tells_what_it_sees_and_disturbs_nothing(self, stage: Set) -> None:
        """The agent has seen the page, and nothing may move under its click."""
        toy = stage(chaos(), html=APART, watched=False)
        assert all(look[:3] != STILL for look in looks(toy, "p"))
        toy.page.evaluate("document.querySelectorAll('p:nth-child(-n + 5)').forEach((element) => element.remove())")
        still = looks(toy, "p")
        toy.read(acting=True)
        assert moved(toy) == [9]
        assert looks(toy, "p") == still

    def test_what_is_added_is_disturbed_without_a_read(self, stage: Set) -> None:
        toy = stage(chaos(), html=APART)
        toy.page.evaluate(self.ADD)
        until(lambda: looks(toy, "p")[9][:3] != STILL)

    def test_what_is_shown_later_is_disturbed(self, stage: Set) -> None:
        toy = stage(chaos(), html=APART.replace("<p style='", "<p hidden style='", 1))
        assert looks(toy, "p")[0][:3] == STILL
        toy.page.evaluate("document.querySelector('p').hidden = false")
        toy.read()
        assert looks(toy, "p")[0][:3] != STILL

    def test_what_another_mode_puts_on_the_page_at_a_read_is_fitted_with_it(self, stage: Set, tmp_path: Path) -> None:
        adds = "(runtime) => runtime.onRead(() => document.querySelector('main').prepend(document.createElement('h2')))"
        toy = stage(
            chaos(), script_rule(tmp_path, adds.replace("createElement('h2')", "querySelectorAll('p')[8]")), html=APART
        )
        toy.read()
        moves = "document.getAnimations().map((animation) => animation.effect.target.textContent).join()"
        assert toy.page.evaluate(moves) == "Text 8," + ",".join(f"Text {n}" for n in range(8))

    @pytest.mark.parametrize("closes", ["", "document.close();"])
    def test_a_document_that_is_opened_anew_is_disturbed(self, stage: Set, closes: str) -> None:
        toy = stage(chaos(), html=HELD.format("<p>Before</p>"))
        toy.page.evaluate(f"(html) => {{ document.open(); document.write(html); {closes} }}", APART)
        toy.read()
        assert all(look[:3] != STILL for look in looks(toy, "p"))
        assert sum(moved(toy)) == 10

    def test_what_leaves_and_comes_back_looks_as_before(self, stage: Set) -> None:
        toy = stage(chaos(), html=APART)
        before = looks(toy, "p")
        toy.page.evaluate("window.kept = document.querySelectorAll('p')[4]; kept.remove()")
        toy.read()
        assert toy.page.evaluate("kept.getAnimations().length") == 0
        toy.page.evaluate("document.querySelectorAll('p')[3].after(kept)")
        toy.read()
        assert looks(toy, "p") == before
        assert moved(toy) == [9]

    def test_a_read_changes_nothing_where_nothing_has_moved(self, stage: Set) -> None:
        toy = stage(chaos(), html=APART)
        count = "document.getAnimations().map((animation) => animation.startTime).join()"
        before = toy.page.evaluate(count)
        toy.page.evaluate("scrollTo(0, 300)")
        for _ in range(3):
            toy.read()
        assert toy.page.evaluate(count) == before

    def test_shadow_roots_are_reached(self, stage: Set) -> None:
        html = HELD.format("<my-card></my-card><script>{}</script>").replace(
            "{}",
            "const root = document.querySelector('my-card').attachShadow({ mode: 'open' });"
            "root.innerHTML = '<h2>Card</h2><button>Press</button><p>Words in it</p>'",
        )
        toy = stage(chaos(), html=html)
        inside = f"Array.from(document.querySelector('my-card').shadowRoot.querySelectorAll('h2, button, p'), {LOOK})"
        assert all(look[:3] != STILL for look in toy.page.evaluate(inside))
        assert moved(toy) == [3]
        toy.page.evaluate(
            "document.querySelector('my-card').shadowRoot.append(Object.assign(document.createElement('p'), { innerText: 'x' }))"
        )
        until(lambda: toy.page.evaluate(inside)[3][:3] != STILL)

    def test_a_control_in_a_shadow_root_stays_within_reach(self, stage: Set) -> None:
        """It is part of the block around its host, and of the scrolling list around that."""
        items = "".join(f"<li>Item {n} <span></span></li>" for n in range(12))
        html = HELD.format(f"<ul style='overflow: auto; height: 200px; font-size: 12px'>{items}</ul>")
        html = html.replace(
            "</body>",
            """<script>for (const host of document.querySelectorAll("span")) {
          host.attachShadow({ mode: "open" }).innerHTML = "<button style='height: 30px'>Press</button>";
        }</script></body>""",
        )
        sizes = """() => Array.from(document.querySelectorAll("span"), ({ shadowRoot }) => {
          const button = shadowRoot.querySelector("button");
          button.scrollIntoView({ block: "center", behavior: "instant" });
          const { x, y, width, height } = button.getBoundingClientRect();
          return button.contains(shadowRoot.elementFromPoint(x + width / 2, y + height / 2)) && Math.min(width, height);
        })"""
        for stress in range(5):
            toy = stage(chaos(5, Seeds(0, stress, "toy/x")), html=html)
            measured_sizes = toy.page.evaluate(sizes)
            assert min(measured_sizes) >= 27
            assert moved(toy)[0] > 5

    def test_frames_are_reached_by_their_own_document(self, stage: Set) -> None:
        outer = "<iframe src=/inner width=600 height=400></iframe><p>Outside</p>"
        html = HELD.format(outer + "<h1>{path}</h1>").replace(
            "<iframe", "<script>if (self === top) document.write(`<iframe"
        )
        html = html.replace("</iframe>", "<\\/iframe>`)</script>")
        toy = stage(chaos(), html=html)
        frame = toy.page.frames[1]
        assert frame.evaluate(LOOKS, "h1")[0][:3] != STILL
        assert frame.evaluate(LOOKS, "h1") != looks(toy, "h1")


class TestForeignPages:
    """Pages that remove elements, and large pages."""

    def test_a_page_that_sets_its_style_sheets_anew_loses_no_look(self, stage: Set) -> None:
        toy = stage(chaos(), html=APART)
        before = looks(toy, "p")
        toy.page.evaluate("document.adoptedStyleSheets = [new CSSStyleSheet()]")
        toy.read()
        assert looks(toy, "p") == before

    def test_what_a_style_sheet_of_the_page_forbids_is_not_said_to_be_done(self, stage: Set) -> None:
        firm = {"translate": "none", "rotate": "none", "scale": "none", "transform": "none", "font-size": "20px"}
        style = "".join(f"{name}: {value} !important;" for name, value in {**firm, "margin-top": "0"}.items())
        html = APART.replace("<head>", f"<head><style>p:nth-child(even) {{ {style} }}</style>")
        toy = stage(chaos(), html=html)
        assert [look[:3] == STILL for look in looks(toy, "p")] == [False, True] * 4 + [False]
        assert moved(toy) == [5]

    def test_a_page_that_replaces_what_the_browser_has_is_disturbed_alike(self, stage: Set) -> None:
        html = HELD.format(
            "<script>{}</script><h1>Title</h1><form><label for=a>Name</label> <input id=a><button>Send</button></form>"
            "<div style='overflow: auto; height: 60px'><p>One</p><p>Two</p><p>Three</p><a href=/x>Last</a></div>"
        )
        screenshots = []
        for spoils in ("window.seen = []", f"document.addEventListener('click', {SPOILT})"):
            toy = stage(chaos(), html=html.replace("{}", spoils))
            before = looks(toy)
            # Afterwards Playwright cannot evaluate in the page.
            toy.evaluated(KEPT)
            toy.evaluated("document.dispatchEvent(new Event('click'))")
            toy.evaluated("pad()")
            toy.read()
            assert toy.evaluated("seen.length") == 0
            screenshots.append((before, toy.evaluated("got()")))
        assert screenshots[0] == screenshots[1]
        assert "37px" in screenshots[0][1]

    @pytest.mark.audit
    def test_a_huge_page_takes_bounded_work(self, stage: Set) -> None:
        rows = "".join(f"<tr><td><a href=/{n}>Item {n}</a></td><td><p>Text {n}</p></td></tr>" for n in range(1000))
        toy = stage(html=HELD.format(f"<table>{rows}</table>"))
        toy.served.rules = [chaos()]
        toy.page.set_default_timeout(30_000)
        toy.page.reload()
        toy.read()
        assert toy.page.evaluate("document.querySelectorAll('*').length") > 5000
        drawn = [look[:3] != STILL for look in looks(toy, "a")]
        assert sum(drawn) > 800
        # Blocks after the first 1,200 stay unchanged.
        assert moved(toy)[0] <= 1200
        hit = toy.page.evaluate(TARGETS)
        assert all(target["hit"] for target in hit)

    def test_turned_boxes_save_hit_tests_and_every_control_can_be_hit(self, stage: Set, tmp_path: Path) -> None:
        """The bounding box of a slightly rotated wide text is much larger than the text."""
        turned = "block.turn =\n"
        looks_script = (SCRIPTS / "chaos" / "looks.js").read_text(encoding="utf-8")
        assert turned in looks_script
        unaware = changed("chaos", {"looks": looks_script.replace(turned, "block.turn = null &&\n")})

        class Unaware(ChaosRule):
            script = tmp_path / "unaware.js"

        Unaware.script.write_text(unaware, encoding="utf-8")

        pages = []
        for rule in (chaos(3), Unaware(**chaos(3).model_dump())):
            toy = stage(html=HELD.format(LONG))
            toy.served.rules = [rule]
            toy.page.set_default_timeout(30_000)
            toy.page.add_init_script(MET)
            toy.page.reload()
            toy.read()
            toy.page.evaluate("document.querySelector('ul').append(document.querySelector('li').cloneNode(true))")
            toy.read()
            pages.append((toy.page.evaluate("hits"), sum(look[:3] != STILL for look in looks(toy, "li *"))))
            # No element loses the focus, and no transition of the page runs.
            assert toy.page.evaluate("heard") == ["focus"]
            assert all(control["hit"] for control in toy.page.evaluate(TARGETS))
        (hits, disturbed), (hits_of_unaware, disturbed_of_unaware) = pages
        assert 20 < hits < hits_of_unaware / 2
        assert disturbed >= disturbed_of_unaware > 300

    def test_where_something_of_ours_fails_the_page_is_as_it_was(self, stage: Set, tmp_path: Path) -> None:
        failing = "({ cutOf: () => 0, crowding: () => { throw new Error('ours'); } })"

        class Broken(ChaosRule):
            script = tmp_path / "broken.js"

        broken = changed("chaos", {"crowding": f"export const makeCrowding = () => {failing};"})
        Broken.script.write_text(broken, encoding="utf-8")

        toy, plain = stage(Broken(**chaos().model_dump()), html=APART), stage(html=APART)
        toy.read()
        assert looks(toy) == looks(plain)
        assert {report.event for report in toy.reports} == {"fault"}
        toy.served.texts.clear()


KEPT = """(() => {
  const read = Function.prototype.call.bind(CSSStyleDeclaration.prototype.getPropertyValue);
  const [all, css, body] = [[...document.querySelectorAll("body, body *")], getComputedStyle, document.body.style];
  const names = ["padding-top", "translate", "rotate", "scale", "font-size", "margin-top"];
  window.pad = () => (body.paddingTop = "37px");
  window.got = () => {
    let found = "";
    for (let i = 0; i < all.length; i += 1) {
      for (let j = 0; j < names.length; j += 1) found += `${read(css(all[i]), names[j])} `;
    }
    return found;
  };
})()"""


class TestSearchForACause:
    """Single parameters of single blocks can be held back, and a recorded episode can be repeated."""

    KEY = "toy / p Text 4  1"

    def test_a_page_says_how_far_each_block_goes_and_draws_it_again(self, stage: Set) -> None:
        first = stage(chaos().model_copy(update={"tells": True}))
        (strengths,) = [report.value for report in first.reports if report.event == "fitted"]
        assert len(strengths) == 12
        assert set(strengths.values()) > {1}
        again = stage(chaos().model_copy(update={"strengths": strengths}))
        assert looks(again) == looks(first)
        # Each block gets its recorded strength, whichever other blocks are disturbed now.
        moved_key = next(key for key, strength in strengths.items() if strength)
        alone = stage(chaos().model_copy(update={"strengths": {moved_key: strengths[moved_key]}}))
        assert moved(alone) == [1]

    @pytest.mark.parametrize(("what", "place"), [("shift", 0), ("rotate", 1), ("scale", 2), ("font", 3), ("margin", 4)])
    def test_one_parameter_of_one_block(self, stage: Set, what: str, place: int) -> None:
        injection = ("chaos", what, "/", self.KEY)
        plain, whole = stage(html=APART), stage(chaos(), html=APART)
        only = stage(chaos().narrowed(AllowedInjections([injection]), "/", 1), html=APART)
        without = stage(chaos().narrowed(AllowedInjections(None, {injection: 1}), "/", 1), html=APART)
        neutral = ["0px", "0deg", "1", "20px", "0px"]
        for index, (alone, others) in enumerate(zip(looks(only, "p"), looks(without, "p"), strict=True)):
            if index != 4:
                assert alone == looks(plain, "p")[index]
                assert others == looks(whole, "p")[index]
                continue
            full = looks(whole, "p")[index]
            assert alone == [full[i] if i == place else neutral[i] for i in range(5)]
            assert others == [neutral[i] if i == place else full[i] for i in range(5)]
        assert moved(only) == [1]

    def test_what_is_held_back_from_a_later_action_on_is_let_before_it(self) -> None:
        allowed = AllowedInjections(None, {("chaos", "scale", "/", self.KEY): 3})
        assert chaos().narrowed(allowed, "/", 2).distortion(self.KEY) == chaos().distortion(self.KEY)
        assert chaos().narrowed(allowed, "/", 3).distortion(self.KEY)[0] == 1
        assert chaos().narrowed(allowed, "/other", 3).distortion(self.KEY) == chaos().distortion(self.KEY)

    @given(data=st.data(), step=st.integers(0, 4))
    def test_a_page_is_let_what_the_search_lets(self, data: st.DataObject, step: int) -> None:
        keys, templates = ("toy / link a", "toy / p x 1"), ("/", "/c")
        named: st.SearchStrategy[Injection] = st.tuples(
            st.just("chaos"), st.sampled_from(PARAMETERS), st.sampled_from(templates), st.sampled_from(keys)
        ) | st.just(("noise", "scale", "/", keys[0]))
        only = data.draw(st.none() | st.lists(named, max_size=5))
        without: dict[Injection, int] = data.draw(st.dictionaries(named, st.integers(0, 4), max_size=5))
        allowed = AllowedInjections(only, None if only is not None else without)
        for template in templates:
            rule = chaos().narrowed(allowed, template, step)
            for key in (*keys, "toy / link nobody named"):
                for what in PARAMETERS:
                    assert rule.lets(f"{what} {key}", 0) == allowed.lets(("chaos", what, template, key), step)

    def test_strengths_are_those_of_the_template(self) -> None:
        given_strengths: Strengths = {("/", self.KEY): 0.5, ("/c", "other"): 1.0}
        rule = chaos().narrowed(AllowedInjections(strengths=given_strengths), "/", 1)
        assert (rule.strengths, rule.tells) == ({self.KEY: 0.5}, True)
        assert chaos().narrowed(AllowedInjections(), "/", 1).strengths is None
        assert isinstance(rule.allowed, Narrowing)


@examples(400)
@given(key=st.text(max_size=60), stress=st.integers(0, 9))
def test_the_same_draws_grow_with_severity(key: str, stress: int) -> None:
    seeds = Seeds(0, stress, "toy/x")
    assert chaos(0, seeds).distortion(key) == (1, 0, 0, 0, 0, 1, 0)
    assert not chaos(0, seeds).acts
    most = chaos(5, seeds).distortion(key)
    for severity in SEVERITIES:
        limits, distortion = Chaos.at(severity), chaos(severity, seeds).distortion(key)
        assert isinstance(limits, Chaos)
        scale, turn, across, down, skew, font, margin = distortion
        assert 1 - limits.shrink <= scale <= 1 + limits.grow
        assert 1 - limits.smaller <= font <= 1 + limits.larger
        assert abs(turn) <= limits.rotate
        assert max(abs(across), abs(down)) <= limits.shift
        assert abs(skew) <= limits.skew
        assert 0 <= margin <= limits.margin
        for index in (1, 2, 3, 4, 6):
            assert abs(distortion[index]) <= abs(most[index])
            assert distortion[index] * most[index] >= 0
