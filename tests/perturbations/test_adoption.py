"""What a page's own scripts draw is marked, decided about and kept like what the site served."""

from collections.abc import Iterator

import lxml.html
import pytest
from playwright.sync_api import expect

from perturbations import MODES, mode
from perturbations.popup import Popup
from stressweb.core.draws import Seeds
from stressweb.html import canonical
from stressweb.html.marks import Marks
from stressweb.html.page import Page
from stressweb.plugins import perturbation
from tests.perturbations.conftest import Set, Stage
from tests.toy import Toy

pytestmark = pytest.mark.sample(4, "file")

KEY = b"k" * 16
# What would stop the gestures of these tests by chance has its machinery on, and a rate of 0.
EVERYTHING = "+".join(
    f"{name}@{0 if mode(name).stage is perturbation.Stage.EXECUTION else 5}"
    for name in MODES
    if name != "remap_explicit"
)
SCRIPT = """
const data = JSON.parse(document.getElementById("data").textContent);
const list = document.getElementById("list");
window.acted = [];
const draw = (names) => {
  list.innerHTML = "";
  for (const name of names) {
    const item = document.createElement("li");
    item.innerHTML = `<h3>About ${name}</h3><button type="button">Take ${name}</button>`;
    item.lastChild.addEventListener("click", () => acted.push(name));
    list.append(item);
  }
  const field = document.createElement("input");
  field.setAttribute("aria-label", "Number");
  list.append(field);
};
document.getElementById("again").addEventListener("click", () => setTimeout(() => draw(data)));
WHEN
"""
PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Drawn</title></head><body><main><h1>Drawn by a script</h1>
<a href="/elsewhere">Elsewhere</a> <button type="button" id="again">Draw again</button>
<ul id="list"></ul><svg id="art"></svg></main>
<script type="application/json" id="data">["lamps", "chairs", "plants"]</script><script>SCRIPT</script></body></html>"""
WAYS = {
    "at once": "draw(data);",
    "later": "setTimeout(() => draw(data), 30);",
    "backwards first": "draw([...data].reverse()); setTimeout(() => draw(data), 30);",
}


def site(way: str = "later") -> Toy:
    return Toy(PAGE.replace("SCRIPT", SCRIPT.replace("WHEN", WAYS[way])))


def drawn(toy: Stage) -> Stage:
    """Wait until the page's script has drawn its list in order."""
    expect(toy.page.locator("li").last).to_contain_text("plants")
    return toy


def classes(toy: Stage) -> Iterator[tuple[str, str]]:
    for element in lxml.html.document_fromstring(toy.read()).xpath("body//main//*[not(self::svg)]"):
        yield str(element.tag), element.get("class") or ""


@pytest.mark.sample(3)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("condition", ["sham", EVERYTHING])
def test_every_drawn_element_gets_a_mark_and_the_form_stays(stage: Set, way: str, condition: str) -> None:
    before = canonical.digest(drawn(stage("clean", site(way))).read(), KEY)
    toy = drawn(stage(condition, site(way)))
    assert canonical.digest(toy.read(), KEY) == before
    reader = Marks(KEY).reader(name for _, name in classes(toy))
    assert [tag for tag, name in classes(toy) if reader.kind(name) is None] == []
    tokens = [token for _, name in classes(toy) for token in name.split() if reader.kind(token) is not None]
    assert len(tokens) == len(set(tokens))


def test_a_drawn_button_is_remapped_and_keeps_its_listener(stage: Set) -> None:
    toy = drawn(stage("remap@5", site()))
    toy.page.click("text=Take chairs")
    assert toy.page.evaluate("acted") == []
    toy.page.dblclick("text=Take chairs")
    assert toy.page.evaluate("acted") == ["chairs"]
    assert [line.element for line in toy.lines("overcome")] == ["button 'Take chairs'"]


def test_attempts_go_on_when_the_list_is_drawn_again(stage: Set) -> None:
    """The mark is another one, the control is the same: its next attempt has the next draw."""
    toy = drawn(stage("failure(rate=1)", site()))
    toy.page.click("text=Take chairs")
    toy.page.evaluate("draw(data)")
    drawn(toy).page.click("text=Take chairs")
    toy.page.reload()
    drawn(toy).page.click("text=Take chairs")
    toy.page.fill("[aria-label=Number]", "7")
    assert toy.page.input_value("[aria-label=Number]") == ""
    assert toy.page.evaluate("acted") == []
    told = [(line.element, line.attempt) for line in toy.lines("delivered")]
    assert told == [*((("button 'Take chairs'", n)) for n in range(3)), ("textbox 'Number'", 0)]


def test_a_dialog_opens_on_a_drawn_button(stage: Set) -> None:
    clean = Page(PAGE, "toy", "/", Marks(KEY))
    stress = next(n for n in range(60) if not Popup(rate=1).would_greet(clean, Seeds(0, n, "toy/x")))
    toy = drawn(stage("popup(rate=1)", site(), stress=stress))
    toy.page.click("text=Take lamps")
    expect(toy.page.locator("dialog[open]")).to_be_visible()
    toy.page.keyboard.press("Escape")
    assert toy.page.evaluate("acted") == []
    sent: list[str] = []
    toy.page.on("request", lambda request: sent.append(request.post_data or ""))
    toy.page.click("text=Take lamps")
    expect(toy.page.locator("dialog[open]")).to_be_visible()
    # Neither the dialog nor the cue is the site's: nothing is asked about them.
    assert [one for one in sent if "drawn" in one] == []


def test_drawn_blocks_are_moved(stage: Set) -> None:
    def turned(condition: str) -> list[str]:
        toy = drawn(stage(condition, site()))
        return list(
            toy.page.evaluate("[...document.querySelectorAll('li h3, li')].map((e) => getComputedStyle(e).rotate)")
        )

    assert set(turned("chaos@0")) == {"none"}
    assert len(set(turned("chaos@5"))) > 2


def test_what_is_drawn_under_a_dialog_moves_once_it_is_answered(stage: Set) -> None:
    clean = Page(PAGE, "toy", "/", Marks(KEY))
    stress = next(n for n in range(60) if Popup(rate=1).would_greet(clean, Seeds(0, n, "toy/x")))
    toy = drawn(stage("popup(rate=1)+chaos@5", site(), stress=stress))
    expect(toy.page.locator("dialog[open]")).to_be_visible()
    rotations = "(all) => all.map((one) => getComputedStyle(one).rotate)"
    assert set(toy.page.eval_on_selector_all("main h1, #again", rotations)) != {"none"}
    toy.page.evaluate("draw(data)")
    assert set(toy.page.eval_on_selector_all("li", rotations)) == {"none"}
    inside = toy.page.locator("dialog")
    for field in inside.locator("input:not([type=radio])").all():
        field.fill((inside.locator("p").inner_text() + '"x"').split('"')[1])
    for radio in inside.locator("input[type=radio]").all():
        radio.check()
    labels = inside.locator("p").inner_text().split('"')[1::2]
    inside.get_by_role("button", name=labels[-1], exact=True).click()
    expect(inside).to_have_count(0)
    assert set(toy.page.eval_on_selector_all("li", rotations)) != {"none"}


def test_keys_are_those_of_a_page_that_came_whole(stage: Set) -> None:
    """Whether drawn at once, later, or in another order first: the same controls are remapped and counted as planned."""
    whole = drawn(stage("clean", site())).read()
    expected = {control.key for control in Page(whole, "toy", "/", Marks(KEY)).controls}
    for way in WAYS:
        toy = drawn(stage("remap@3", site(way)))
        subjects = toy.stress()._subjects.values()
        assert {one.control.key for one in subjects if one.control is not None} == expected


def test_the_ledger_repeats(stage: Set) -> None:
    def ledger() -> list[str]:
        toy = drawn(stage("remap@3+failure@3+popup@3+chaos@3", site()))
        toy.page.evaluate("draw(data)")
        drawn(toy).read()
        return [entry.model_dump_json() for entry in toy.episode.ledger()]

    first = ledger()
    assert first == ledger()
    assert sum('"planned"' in line for line in first) > 4


def test_each_drawing_is_told_once(stage: Set) -> None:
    """Our own marks on the nodes lead to nothing further, nor does a page that moves or copies its marked nodes."""
    toy = drawn(stage("remap@5", site()))
    sent: list[str] = []
    toy.page.on("request", lambda request: sent.append(request.post_data or ""))
    toy.page.evaluate("draw(data)")
    drawn(toy).read()
    assert len([one for one in sent if '"drawn"' in one]) == 1
    toy.page.evaluate("() => { list.innerHTML = list.innerHTML; list.append(list.firstChild.cloneNode(true)) }")
    toy.page.evaluate("() => { document.getElementById('art').innerHTML = '<circle r=\"4\"/>' }")
    toy.page.click("text=Take lamps")
    toy.read()
    assert len([one for one in sent if '"drawn"' in one]) == 1


def test_a_drawn_page_can_be_read_however_often_it_was_drawn(stage: Set) -> None:
    """The marks go far down their stream, and are still told apart."""
    toy = drawn(stage("sham", site()))
    before = canonical.digest(toy.read(), KEY)
    for _ in range(40):
        toy.page.evaluate("() => { list.innerHTML += '<li>more</li>'.repeat(60); }")
        toy.page.evaluate("() => { draw(data) }")
    assert canonical.digest(drawn(toy).read(), KEY) == before
    reader = Marks(KEY).reader(name for _, name in classes(toy))
    assert [tag for tag, name in classes(toy) if reader.kind(name) is None] == []
