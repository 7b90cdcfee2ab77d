"""Chaos: what moves, what stays within reach, and that nothing of it stands in the document."""

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from playwright.sync_api import Browser
from pydantic import ValidationError

from perturbations import MODES
from perturbations.chaos import Chaos, ChaosSettings, blocks
from runner.world.world import World
from sites import kit
from stressweb.core.conditions import parse
from stressweb.core.draws import Seeds
from stressweb.html import canonical
from stressweb.html.marks import Marks
from stressweb.html.page import Page
from tests import proxied
from tests.perturbations.conftest import Set, Stage
from tests.toy import PAGE, Toy

pytestmark = pytest.mark.sample(9, "file")

KEY = b"k" * 16
SEVERITIES = (1, 2, 3, 4, 5)
PRODUCT = kit.load("shop", 0).entities["Product"][0].id
PATHS = ("/", f"/p/{PRODUCT}", "/register", "/cart")
TARGETS = """() => Array.from(document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea"))
  .map((element) => {
    element.scrollIntoView({block: "center", behavior: "instant"});
    const box = element.getBoundingClientRect();
    const at = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    const hit = at !== null && (element.contains(at) || at.contains(element) && at.localName === "label");
    const field = ["input", "select", "textarea"].includes(element.localName);
    return {text: element.textContent, hit, field, size: Math.min(box.width, box.height)};
  })"""
LOOK = "(e) => { const s = getComputedStyle(e); return [s.translate, s.rotate, s.scale, s.fontSize, s.marginTop] }"
STILL = ["none", "none", "none"]
type Look = Callable[[str, tuple[str, ...]], dict[str, list[dict[str, Any]]]]


@pytest.fixture(scope="module")
def shop(world: World, browser: Browser) -> Look:
    """Return what can be pressed on pages of the shop under a condition."""

    @cache
    def look(condition: str, paths: tuple[str, ...]) -> dict[str, list[dict[str, Any]]]:
        episode = world.open(kit.load("shop", 0), parse(condition, MODES)[0], Seeds(0, 0, "shop/x"), KEY)
        context = browser.new_context(proxy=proxied.settings(episode), viewport={"width": 1280, "height": 800})
        page = context.new_page()
        found = {}
        for path in paths:
            page.goto(f"http://shop.test{path}")
            found[path] = page.evaluate(TARGETS)
            wide = page.evaluate("document.documentElement.scrollWidth")
            assert wide <= 1284, path
        assert episode.faults() == []
        context.close()
        episode.close()
        return found

    return look


def looks(toy: Stage, selector: str = "body *") -> list[list[str]]:
    return list(toy.page.eval_on_selector_all(selector, f"(all) => all.map({LOOK})"))


@pytest.mark.sample(1)
@pytest.mark.parametrize("severity", SEVERITIES)
def test_every_target_can_be_hit_in_its_middle_and_is_large_enough(shop: Look, severity: int) -> None:
    before, after = shop("clean", PATHS), shop(f"chaos@{severity}", PATHS)
    for path in PATHS:
        assert len(before[path]) == len(after[path])
        for one, two in zip(before[path], after[path], strict=True):
            assert two["hit"] == one["hit"], f"{path}: {two}"
            assert two["size"] >= min(one["size"], 24 if two["field"] else 28) - 1, f"{path}: {two}"


def test_nothing_of_it_stands_in_the_document(stage: Set) -> None:
    """The markup is that of the page without it, byte for byte, and so is the canonical form."""
    calm, wild = stage("chaos@0"), stage("chaos@5")
    assert wild.read() == calm.read()
    assert canonical.digest(wild.read(), KEY) == canonical.digest(PAGE.replace("{path}", "/"), KEY)
    assert looks(wild) != looks(calm)


def test_it_shows_in_the_picture(stage: Set) -> None:
    assert stage("chaos@1").page.screenshot() != stage("chaos@0").page.screenshot()


def test_it_is_the_same_in_every_run(stage: Set) -> None:
    one, two, other = stage("chaos@4"), stage("chaos@4"), stage("chaos@4", stress=1)
    assert looks(one) == looks(two) != looks(other)
    assert one.episode.ledger() == two.episode.ledger()


def test_a_reload_changes_nothing(stage: Set) -> None:
    toy = stage("chaos@5")
    before = looks(toy)
    toy.page.reload()
    assert looks(toy) == before


def test_what_belongs_together_moves_together() -> None:
    """A field with its label, a link in its list item, a button alone; headings and paragraphs as they are."""
    html = PAGE.replace("Text about lamps and chairs.", 'Text about <a href="/l">lamps</a> and chairs.').replace(
        '<label for="day">Day</label> <input id="day" type="date" name="day">',
        '<div><label for="day">Day</label> <input id="day" type="date" name="day"></div>',
    )
    found = [(one.tag, one.get("id")) for one, _ in blocks(Page(html, "toy", "/", Marks(KEY)))]
    assert found == [
        ("li", None), ("li", None), ("p", None), ("input", "name"), ("div", None), ("select", "size"),
        ("label", None), ("textarea", None), ("button", "save"), ("form", None), ("h1", None), ("h2", None),
    ]  # fmt: skip


@pytest.mark.parametrize("severity", range(6))
def test_the_same_draws_grow_with_severity(severity: int) -> None:
    page, seeds = Page(PAGE, "toy", "/", Marks(KEY)), Seeds(0, 0, "toy/x")
    found = Chaos.at(severity).instruct(page, seeds)
    extreme = Chaos.at(5).instruct(page, seeds)
    assert found is not None
    assert extreme is not None
    assert found.planned == (extreme.planned if severity else 0)
    limits = Chaos.at(severity)
    assert isinstance(found.settings, ChaosSettings)
    assert isinstance(extreme.settings, ChaosSettings)
    pairs = zip(found.settings.blocks, extreme.settings.blocks, strict=True) if severity else ()
    for (token, scale, turn, across, down, skew, font, margin), most in pairs:
        assert token == most[0]
        assert 1 - limits.shrink <= scale <= 1 + limits.grow
        assert 1 - limits.smaller <= font <= 1 + limits.larger
        assert abs(turn) <= limits.rotate
        assert max(abs(across), abs(down)) <= limits.shift
        assert 0 <= margin <= limits.margin
        for value, other in ((turn, most[2]), (across, most[3]), (down, most[4]), (skew, most[5]), (margin, most[7])):
            assert abs(value) <= abs(other)
            assert value * other >= 0


def test_letters_stay_legible(stage: Set) -> None:
    """The size of letters on the screen, scale included, is nowhere below 9 pixels."""
    script = """() => Array.from(document.querySelectorAll("a, h1, h2, p, button, label")).map((element) => {
      let scale = 1;
      for (let one = element; one; one = one.parentElement) scale *= parseFloat(getComputedStyle(one).scale) || 1;
      return parseFloat(getComputedStyle(element).fontSize) * scale;
    })"""
    html = "<!DOCTYPE html><title>Far apart</title>" + "".join(
        f'<p style="margin:120px;font-size:{size}px">So many words</p>' for size in (8, 10, 14, 18, 24)
    )
    for stress in range(4):
        sizes = stage("chaos(shrink=0.9,smaller=0.8)", Toy(html), stress=stress).page.evaluate(script)
        assert min(sizes) > 7.99
        assert min(sizes[1:]) > 8.99
        assert sizes != [8, 10, 14, 18, 24]
        assert min(sizes[1:]) < 11


def test_what_a_bar_or_a_frame_would_hide_stays_out_of_its_way(stage: Set) -> None:
    """Targets close under a fixed bar, in a frame that cuts off, and close to one another."""
    crowd = "".join(f'<a href="/{n}" style="padding:2px">{n}</a>' for n in range(40))
    html = f"""<!DOCTYPE html><html><head><title>Tight</title></head><body style="margin:0;font-size:12px">
    <div style="position:fixed;inset:0 0 auto 0;height:40px;background:#ddd;z-index:5"><a href="/top">Top</a></div>
    <div style="margin-top:42px"><button>Close under</button></div>
    <div style="overflow:hidden;width:110px;height:22px"><button>Cut off here</button></div>
    <div style="overflow:auto;width:200px;height:60px"><p>One</p><p>Two</p><p>Three</p><button>Deep down</button></div>
    <div style="width:300px;line-height:1.1">{crowd}</div><div style="height:2000px"></div><button>Last</button></body></html>"""
    for stress in range(3):
        before, after = (stage(name, Toy(html), stress=stress).page.evaluate(TARGETS) for name in ("clean", "chaos@5"))
        assert [one["hit"] for one in after] == [one["hit"] for one in before]
        assert sum(one["hit"] for one in before) > 40


CHIPS = """<!DOCTYPE html><html><head><title>Day</title><style>main { display: grid; grid-template-rows: repeat(12, 28px) }
.chip { overflow: hidden; min-height: 0 }</style></head><body><main>%s</main></body></html>"""
CUT = """() => Array.from(document.querySelectorAll(".chip"), (chip) => {
  const box = chip.querySelector("a").getBoundingClientRect();
  const at = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
  return [chip.scrollHeight <= chip.clientHeight + 2, at !== null && chip.contains(at), chip.scrollTop];
})"""


def test_what_cuts_off_its_text_cuts_off_no_more_of_it(stage: Set) -> None:
    """A margin shrinks a box whose place is fixed; a script could still scroll to what is hidden, a hand cannot."""
    html = CHIPS % "".join(f'<div class="chip"><a href="/{at}">Item {at}</a></div>' for at in range(12))
    for stress in range(6):
        toy = stage("chaos@5", Toy(html), stress=stress)
        toy.page.evaluate("scrollTo(0, 0)")
        assert toy.page.evaluate(CUT) == [[True, True, 0]] * 12


def test_a_drawing_keeps_its_inside(stage: Set) -> None:
    html = PAGE.replace("<h2>", '<svg width="80" height="20"><a href="/x"><text y="15">Sign</text></a></svg><h2>')
    toy = stage("chaos@5", Toy(html))
    assert {tuple(look[:3]) for look in looks(toy, "svg, svg *, option")} == {tuple(STILL)}


def test_it_comes_after_a_dialog_is_closed(stage: Set) -> None:
    """Under a dialog nothing can be hit: what is drawn meanwhile is looked at once it is closed."""
    html = PAGE.replace("<h2>", '<dialog id="own"><button id="ok">OK</button></dialog><h2>').replace(
        "</body>", "<script>own.showModal(); ok.onclick = () => own.close();</script></body>"
    )
    toy = stage("chaos@5", Toy(html))
    assert looks(toy, "h2")[0][:3] == STILL
    toy.page.click("#ok")
    toy.page.wait_for_function("getComputedStyle(document.querySelector('h2')).rotate !== 'none'")
    assert [entry.phase for entry in toy.episode.ledger()] == ["planned", "delivered"]


def test_planned_delivered_and_met_are_told(stage: Set) -> None:
    toy = stage("chaos@3")
    toy.episode.begin(1)
    told = [(entry.step, entry.phase, entry.detail) for entry in toy.episode.ledger()]
    assert told == [(0, "planned", "/"), (0, "delivered", "/"), (1, "met", "")]
    planned, delivered = (entry.count for entry in toy.episode.ledger()[:2])
    assert 0 < delivered <= planned == 12


def test_the_window_stays_where_it_was(stage: Set) -> None:
    toy = stage("chaos@3", Toy(PAGE.replace("</main>", '<p style="margin-top:3000px">Far down</p></main>')))
    assert toy.page.evaluate("[scrollX, scrollY]") == [0, 0]
    toy.page.evaluate("scrollTo(0, 700)")
    toy.page.evaluate("document.querySelector('main').append(document.createElement('p'))")
    assert toy.page.evaluate("scrollY") == 700


def test_a_parameter_out_of_bounds_is_refused() -> None:
    with pytest.raises(ValidationError, match="shrink"):
        Chaos.at(3, shrink=1.5)
