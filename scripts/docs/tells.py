"""How well a classifier distinguishes added noise from the site's elements, for the documents.

An agent sees the document. So the features of a logistic regression are what an agent could use of each element: its
name, attributes, place and words. It is trained on some worlds of all sites and tested on other worlds.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from itertools import chain, pairwise
from typing import NamedTuple

import numpy as np
from lxml.html import HtmlElement
from numpy.typing import NDArray
from playwright.sync_api import Browser, sync_playwright
from scipy.optimize import minimize
from scipy.sparse import csr_array
from scipy.special import expit
from scipy.stats import rankdata

from scripts.bench.page_cost import Arm
from scripts.docs.markdown import table
from scripts.waited import launched
from stressweb.core.conditions import parse
from stressweb.core.draws import Seeds
from stressweb.html.annotated import agents_tree
from stressweb.perturbations import MODES
from stressweb.runner.registry import site_names
from stressweb.runner.world.world import World
from stressweb.sites import kit

LEARNED = range(1, 11)
"""World seeds for training."""
TESTED = range(11, 17)
"""World seeds for testing."""
CONDITION = "noise@3"
PAGES = 8
"""Number of pages of each world, each of a different kind."""
_PENALTY = 1.0
_CONTROLS = ("a", "button", "input", "select", "textarea")


class Seen(NamedTuple):
    """An element of a page, and whether it is ours (added noise)."""

    element: HtmlElement
    ours: bool


type View = Callable[[HtmlElement], Iterable[str]]
"""Returns the features of an element, as words of a vocabulary."""


def _name(element: HtmlElement) -> Iterator[str]:
    yield str(element.tag)


def _attributes(element: HtmlElement) -> Iterator[str]:
    for name, value in element.attrib.items():
        yield name
        yield from (f"{name}={part}" for part in value.split())


def _place(element: HtmlElement) -> Iterator[str]:
    surroundings = {
        "in": element.getparent(),
        "after": element.getprevious(),
        "before": element.getnext(),
        "around": next(element.iterchildren("*"), None),
    }
    yield from (f"{where} {None if other is None else other.tag}" for where, other in surroundings.items())
    yield f"depth {min(sum(1 for _ in element.iterancestors()), 20)}"
    yield f"number {min(sum(1 for _ in element.itersiblings(preceding=True)), 8)}"
    yield f"text before {bool((element.tail or '').strip())}"


def _words(element: HtmlElement) -> Iterator[str]:
    words = re.findall(r"\S+", "".join(element.itertext()).lower())
    yield f"{min(len(words), 12)} words"
    yield from words
    yield from (" ".join(pair) for pair in pairwise(words))


VIEWS: Mapping[str, View] = {
    "its name": _name,
    "its attributes": _attributes,
    "its place": _place,
    "its words": _words,
    "all of these": lambda element: chain(_name(element), _attributes(element), _place(element), _words(element)),
}


def tells() -> dict[str, str]:
    """Return a table that shows how well a classifier finds elements that noise added, by its features."""
    with ExitStack() as stack:
        chromium = launched(stack.enter_context(sync_playwright()))
        stack.callback(chromium.close)
        world = World()
        stack.callback(world.close)
        learned, tested = (
            [*chain.from_iterable(pages_of(chromium, world, name, seed) for name in site_names() for seed in seeds)]
            for seeds in (LEARNED, TESTED)
        )
    rows = [
        (
            view_name,
            f"{score(view, learned, tested):.2f}",
            f"{score(view, controls(learned), controls(tested)):.2f}",
        )
        for view_name, view in VIEWS.items()
    ]
    return {"tells": table(("what is seen of an element", "any element", "controls"), rows)}


def controls(seen: Iterable[Seen]) -> list[Seen]:
    """Return those elements that can be pressed or filled in."""
    return [element for element in seen if element.element.tag in _CONTROLS]


def pages_of(browser: Browser, world: World, name: str, seed: int) -> Iterator[Seen]:
    """Yield the elements of some pages of a world under noise, as an agent sees them."""
    site = kit.load(name, seed)
    (condition,) = parse(CONDITION, MODES)
    with closing(Arm(browser, world.open(site, condition, Seeds(seed, 0, f"{name}/x")))) as arm:
        paths = ["/"]
        for number in range(PAGES):
            if number == len(paths):
                break
            arm.load(paths[number])
            root, kinds = agents_tree(arm.read())
            yield from elements(root, kinds)
            # Pages of the same kind have the same first part of the path.
            known = {path.split("/")[1] for path in paths}
            for link in root.iter("a"):
                path = link.get("href") or ""
                if re.match(r"/[a-z]", path) and path.split("/")[1] not in known:
                    known.add(path.split("/")[1])
                    paths.append(path)


def elements(root: HtmlElement, kinds: Mapping[HtmlElement, str]) -> Iterator[Seen]:
    """Yield each element of the body; of added elements, only the outermost."""
    added_elements: set[HtmlElement] = set()
    for element in root.iter():
        if not isinstance(element.tag, str):
            continue
        if element.getparent() in added_elements:
            added_elements.add(element)
            continue
        kind = kinds.get(element)
        if kind == "added":
            added_elements.add(element)
        if next(element.iterancestors("body"), None) is not None:
            yield Seen(element, kind in ("added", "wrapper"))


def score(view: View, learned: Sequence[Seen], tested: Sequence[Seen]) -> float:
    """Return the area under the ROC curve: 1 if the classifier finds all added elements, 0.5 if it only guesses."""
    known: dict[str, int] = {}
    for element in learned:
        for word in view(element.element):
            known.setdefault(word, len(known))
    weights = _fitted(_matrix(view, learned, known), np.array([element.ours for element in learned]))
    truth = np.array([element.ours for element in tested])
    ranks = rankdata(_matrix(view, tested, known) @ weights[1:])
    ours = int(truth.sum())
    # Mann-Whitney U, divided by the number of pairs.
    return float((ranks[truth].sum() - ours * (ours + 1) / 2) / (ours * (len(truth) - ours)))


def _matrix(view: View, seen: Sequence[Seen], known: Mapping[str, int]) -> csr_array:
    words = [sorted({known[word] for word in view(element.element) if word in known}) for element in seen]
    ends = np.cumsum([0, *map(len, words)])
    columns = np.fromiter(chain.from_iterable(words), dtype=np.int64)
    return csr_array((np.ones(len(columns)), columns, ends), shape=(len(seen), len(known)))


def _fitted(features: csr_array, truth: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return intercept and weights of a logistic regression with an L2 penalty."""

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        scores = features @ weights[1:] + weights[0]
        error = expit(scores) - truth
        value = np.logaddexp(0, scores).sum() - scores[truth].sum() + _PENALTY * (weights[1:] ** 2).sum() / 2
        return float(value), np.concatenate(([error.sum()], features.T @ error + _PENALTY * weights[1:]))

    return np.asarray(minimize(loss, np.zeros(features.shape[1] + 1), jac=True, method="L-BFGS-B").x)
