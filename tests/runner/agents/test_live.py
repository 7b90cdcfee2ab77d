"""The scripted agents in the real browser, on pages that lose clicks and entries or require a double click."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page

from scripts.waited import Observer, Recorder, perform, settle
from stressweb.perception.tree_view import TreeView
from stressweb.plugins.actions import Action, Outcome
from stressweb.plugins.agent import Brief
from stressweb.plugins.steps import Step
from stressweb.runner.agents import make
from tests.support.next_action import next_action
from tests.support.stand_in_episode import StandInEpisode

pytestmark = pytest.mark.sample(2, "file")

STRESS = """<style>.k { outline: 3px solid }</style><script>
const modes = "MODES", met = new WeakMap();
const stop = (event) => (event.preventDefault(), event.stopImmediatePropagation());
// Lose the first LOST tries at each element after every load.
const loses = (node) => {
  if (!modes.includes("failure")) return false;
  met.set(node, (met.get(node) ?? 0) + 1);
  return met.get(node) <= LOST;
};
let entry = null, relayed = null;
addEventListener("click", (event) => {
  const look = event.target.closest("a, button, label, [type=checkbox]");
  const node = look?.control ?? look;
  if (!node) return;
  if (relayed === node) return (relayed = null);
  if (modes.includes("remap") && event.detail !== 2) { look.classList.add("k"); return stop(event); }
  if (loses(node)) return stop(event);
  relayed = look === node ? null : node;
}, true);
addEventListener("beforeinput", (event) => {
  entry ??= { lost: loses(event.target) };
  if (entry.lost) stop(event);
}, true);
addEventListener("change", (event) => {
  if (event.target.localName === "select" && loses(event.target)) event.target.selectedIndex = 0;
}, true);
for (const type of ["focusout", "pointerdown"]) addEventListener(type, () => (entry = null), true);
addEventListener("read", () => (entry = null));
</script>"""

TALL = "<div style='height:1400px'></div>"
HOME = "<nav><a href='/lamps' style='display:none'>Lamps</a><a href='/lamps'>La<b>m</b>p&#8203;s</a></nav><h1>Shop</h1>"
LAMPS = f"""{TALL}<div itemscope><a itemprop=name href=/red>Red lamp</a><a href=/red>Details</a></div>
<div itemscope><a itemprop=name href=/blue>Blue lamp</a><a href=/blue>Details</a></div>{TALL}"""
BLUE = f"""<h1>Blue lamp</h1><button type=button>Add to wishes</button><form action=/cart>
<label for=n>Quantity</label><input id=n type=number name=quantity value=1><br>
<label>Size <select name=size><option>Small<option>Large</select></label><br>
<label>Wrap it <input type=checkbox name=wrap></label><br><label>Note <textarea name=note></textarea></label>
{TALL}<button class=b>Add to cart</button></form>{TALL}"""
CART = "<h1>Your cart</h1><p>Thank you</p>"

STEPS = (
    Step(verb="open", target="Lamps"),
    Step(verb="open", target="Details", on="Blue lamp"),
    Step(verb="enter", target="Quantity", value="3"),
    Step(verb="choose", target="Size", value="Large"),
    Step(verb="tick", target="Wrap it"),
    Step(verb="enter", target="Note", value="For Ann"),
    Step(verb="press", target="Add to cart"),
)
WANTED = "/cart?quantity=3&size=Large&wrap=on&note=For+Ann"

type Episode = Callable[..., tuple[list[Action], list[Outcome]]]


@pytest.fixture
def episode(page: Page, small_site: Any) -> Episode:
    def _episode(spec: str, modes: str, lost: int = 1) -> tuple[list[Action], list[Outcome]]:
        stress = STRESS.replace("MODES", modes).replace("LOST", str(lost))
        for path, body in (("/", HOME), ("/lamps", LAMPS), ("/blue", BLUE), ("/cart", CART)):
            small_site.pages[path] = f"<!doctype html><html><head>{stress}</head><body>{body}</body></html>"
        page.goto(small_site.url)
        agent = make(spec)
        agent.start(Brief(goal="", start_url=small_site.url, steps=STEPS))
        observer = Observer(agent.wants, recorder=Recorder(StandInEpisode("read")))
        history: list[tuple[Action, Outcome]] = []
        while len(history) < 100 and not (history and history[-1][0].final):
            action = next_action(agent, observer.read(page, history))
            history.append((action, perform(page, action)))
            settle(page, small_site)
        return [action for action, _ in history], [outcome for _, outcome in history]

    return _episode


def bought(site: Any) -> list[str]:
    return [path for path in site.requests if path.startswith("/cart")]


def test_naive_does_it_where_nothing_disturbs(episode: Episode, small_site: Any) -> None:
    actions, outcomes = episode("naive", "")
    assert bought(small_site) == [WANTED]
    assert [action.kind for action in actions] == ["CLICK", "CLICK", "FILL", "SELECT", "CHECK", "FILL", "CLICK", "DONE"]
    assert all(outcome.ok for outcome in outcomes)


@pytest.mark.parametrize("modes", ["remap", "failure"])
def test_naive_claims_success_without_it(episode: Episode, small_site: Any, modes: str) -> None:
    actions, _ = episode("naive", modes)
    assert bought(small_site) == []
    assert actions[-1].kind == "DONE"


@pytest.mark.sample(2)
@pytest.mark.parametrize("pointer", ["selector", "coordinates"])
@pytest.mark.parametrize(
    ("modes", "lost"), [("", 0), ("remap", 0), ("failure", 1), ("failure", 3), ("remap failure", 2)]
)
def test_resilient_does_it_once_and_says_so(
    episode: Episode, small_site: Any, modes: str, lost: int, pointer: str
) -> None:
    actions, _ = episode(f"resilient(pointer={pointer})", modes, lost)
    assert actions[-1].kind == "DONE"
    assert bought(small_site) == [WANTED]
    if pointer == "coordinates":
        assert {action.kind for action in actions if action.selector} <= {"SELECT"}


@pytest.mark.sample(1)
@pytest.mark.parametrize("lost", [0, 1, 3])
def test_resilient_does_it_by_the_tree_alone(episode: Episode, small_site: Any, lost: int) -> None:
    actions, _ = episode("resilient(pointer=tree)", "failure", lost)
    assert actions[-1].kind == "DONE"
    assert bought(small_site) == [WANTED]
    assert all(action.selector.startswith("role=") for action in actions if action.selector)


def test_resilient_takes_no_more_steps_than_naive_where_nothing_disturbs(episode: Episode) -> None:
    assert len(episode("resilient", "")[0]) == len(STEPS) + 1


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("spec", "modes", "still_succeeds"),
    [
        ("resilient(-gesture)", "remap", False),
        ("resilient(-gesture)", "failure", True),
        ("resilient(-retry)", "failure", False),
        ("resilient(-retry)", "remap", True),
        ("resilient(-verify)", "remap", False),
        ("resilient(-verify)", "failure", False),
        ("resilient(-search)", "remap failure", True),
    ],
)
def test_an_ability_is_missed_where_it_is_needed_and_nowhere_else(
    episode: Episode, small_site: Any, spec: str, modes: str, still_succeeds: bool
) -> None:
    episode(spec, modes)
    assert (bought(small_site) == [WANTED]) is still_succeeds


CONTROLS = ("link", "button", "textbox", "combobox", "checkbox")
ODD = """<a href=/a>Say "hi" \\ twice</a><a href=/b>Two&#8203;parts &#65279;and&#8204;more</a><button>Save</button>
<button hidden>Save</button><button>Save</button><button></button><label>It's [x]: <input></label>
<select aria-label="a: b"><option>- one<option>#two</select><input type=checkbox aria-label="{y}">
<div role=dialog aria-label=D><button>Save</button></div>"""


def test_elements_of_the_tree_are_found_by_role_and_name(show: Callable[[str], Page]) -> None:
    page = show(f"<!doctype html><body>{ODD}</body>")
    reading = TreeView(Observer(frozenset({"tree"})).read(page))
    selected = [page.query_selector(reading.selector(element)) for element in reading.any_of(CONTROLS)]
    expected = page.query_selector_all("a, button:not([hidden]), input, select")
    assert len(selected) == len(expected) == 9
    for element, expected_element in zip(selected, expected, strict=True):
        assert element is not None
        assert element.evaluate("(element, expected) => element === expected", expected_element)
