"""Pages with noise, read as by the recorder: the page's runtime identifies our nodes."""

from pathlib import Path
from typing import Any

from lxml import etree
from playwright.sync_api import Page as Tab

from scripts.waited import IsolatedWorld
from stressweb.core.draws import Seeds
from stressweb.core.page_draws import Pair, rule_words
from stressweb.html import annotated_form
from stressweb.html.annotated import site_tree
from stressweb.perturbations.noise.rule import OPERATORS, NoiseRule
from stressweb.perturbations.page.parts import page_script
from stressweb.perturbations.page.runtime_settings import RuntimeSettings
from stressweb.plugins.rule import Narrowing, Rule
from tests.support.annotating import read
from tests.support.served import BINDING, READ, SENT, Stage

# Exposes to tests what the runtime tells the recorder.
TELLS = """(runtime) => {
  runtime.listen(["looks"], (event) => {
    event.detail.kinds = new Map();
    for (const walker = document.createTreeWalker(document); walker.nextNode(); ) {
      const difference = runtime.toldOf(walker.currentNode);
      if (difference) event.detail.kinds.set(walker.currentNode, difference.kind);
    }
  });
}"""
# Functions for tests: nodes of ours, and the site's text.
LOOKS = """(script) => {
  const detail = {};
  dispatchEvent(new CustomEvent("looks", { detail }));
  const kinds = detail.kinds ?? new Map();
  const ours = [...kinds].filter(([node, kind]) => kind === "added" && node.nodeType === 1).map(([node]) => node);
  const isOurs = (node) => ours.some((element) => element.contains(node));
  const seen = (node) => node.checkVisibility();
  return Function("kinds", "ours", "isOurs", "seen", `return (${script})`)(kinds, ours, isOurs, seen);
}"""


def tells(folder: Path) -> Rule:
    """Return a rule whose script identifies our nodes, for `inspect`."""
    path = folder / "tells.js"
    path.write_text(TELLS, encoding="utf-8")

    class Tells(Rule):
        script = path

    return Tells(mode="tells", rule=Pair(0, 0))


def noise(density: float = 0.7, stress: int = 0, **others: Any) -> NoiseRule:
    """Return the rule of `noise`."""
    return NoiseRule(mode="noise", rule=rule_words(Seeds(0, stress, "toy/x"), "noise"), density=density, **others)


def only(*places: str) -> NoiseRule:
    """Return noise that acts only at these places, each an operator and a key."""
    return noise(1, allowed=Narrowing(others=False, controls={place: (True, [0]) for place in places}))


def every(*operators: str, density: float = 1, **others: Any) -> NoiseRule:
    """Return noise with only these operators."""
    silent = tuple(operator if operator in operators else f"no {operator}" for operator in OPERATORS)
    return noise(density, operators=silent, **others)


def form(tab: Tab, event: str = READ) -> str:
    """Return the canonical form of the page in a tab; to another event the page's runtime does not answer."""
    return annotated_form.digest(read(tab, IsolatedWorld(tab), event=event).annotated)


def written(tab: Tab) -> str:
    """Return the site's own document from the recorded copy, exact except for comments."""
    root = site_tree(read(tab, IsolatedWorld(tab), event=READ).annotated)
    etree.strip_tags(root, etree.Comment)
    return str(etree.tostring(root, encoding="unicode"))


def show(tab: Tab, html: str, *rules: Rule) -> Tab:
    """Show a document in a new page of a tab; with rules, insert the script and read the page once."""
    settings = RuntimeSettings(path="/", page="page /", site="toy", read=READ, binding=BINDING, report="/r")
    # A script element that stays would change the page.
    taker = f"<script>window.{BINDING} = () => {{}}; document.currentScript.remove();</script>"
    script = f"{taker}<script>{page_script(settings, rules)}</script>"
    # Reopening a document in the same page would keep the scripts of the last one.
    tab.goto("about:blank")
    tab.set_content(html.replace("<head>", f"<head>{script}", 1) if rules else html)
    if rules:
        IsolatedWorld(tab).evaluate(SENT, [READ, None])
    return tab


def inspect(tab: Tab, script: str) -> Any:
    """Evaluate a script with `kinds` of nodes, `ours` (our elements), `isOurs` and `seen`."""
    return tab.evaluate(LOOKS, script)


def fired_at(toy: Stage) -> set[tuple[str, str]]:
    """Return the places at which an operator acted, by operator and key."""
    fitted_places = [report.value for report in toy.reports if report.event == "fitted"]
    return {tuple(place.split(" ", 1)) for places in fitted_places for place in places}


def moved(toy: Stage) -> list[int]:
    """Return the number of changed places in each report."""
    return [report.value for report in toy.reports if report.event == "moved"]
