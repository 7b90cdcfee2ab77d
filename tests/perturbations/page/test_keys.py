"""keys.js: the page makes the keys that the program makes, whatever a mode has added, and keeps them."""

from functools import cache

import pytest
from hypothesis import given, note
from hypothesis import strategies as st
from playwright.sync_api import Browser, Page, Route

from perturbations.episode_perturber import EpisodePerturber
from perturbations.page.parts import NAMES
from perturbations.runtime import source
from runner.registry import perturbations
from stressweb.core.draws import Seeds
from stressweb.html.accessible_name import clean
from stressweb.html.page import path_template
from tests.examples import examples
from tests.laws.crawl import Visited, crawl
from tests.perturbations.page.documents import documents
from tests.perturbations.page.keyed import MAKER, WRITTEN, by_page, by_program, kinds
from tests.plans import condition
from tests.sites.crawling import PERSONAS, SITES, sign_in, site

CONDITIONS = ("clean", "noise@3", "noise@5", "chaos@3")
WHO = [*((name, "") for name in SITES), *PERSONAS.items()]
LIVE = f"""([kinds, site, host]) => {{
  const kindOf = (node) => {{
    for (const token of node.classList ?? []) if (Object.hasOwn(kinds, token)) return kinds[token];
  }};
  const keys = ({MAKER})(kindOf, {{ site, hosts: [host] }});
  return [keys.controls([document], location.pathname), keys.nodes([document])].map({WRITTEN});
}}"""


@cache
def pages(name: str, persona: str) -> list[Visited]:
    """Return one page of each kind that links lead to."""
    found = crawl(site(name, 0), sign_in(site(name, 0), persona), of_a_kind=2)
    return [*{page.kind: page for page in found}.values()]


def served(label: str, page: Visited) -> str:
    """Return a page as today's engine serves it."""
    if label == "clean":
        return page.html
    stress = EpisodePerturber(perturbations(condition(label)), Seeds(0, 1, "shop/profile"), b"k" * 16, active=True)
    return stress.rewrite(page.html, page.site, page.path, "nonce", lambda _: frozenset())


@pytest.mark.sample(4)
@pytest.mark.parametrize(("name", "persona"), WHO)
@pytest.mark.parametrize("label", CONDITIONS)
def test_keys_of_a_perturbed_page_are_those_of_the_clean_one(
    browser: Browser, label: str, name: str, persona: str
) -> None:
    host = site(name, 0).host
    answers: dict[str, str] = {}

    def answer(route: Route) -> None:
        html = answers.get(route.request.url)
        # Reports of the scripts get no answer.
        if html is None or route.request.method == "POST":
            route.fulfill(status=204)
        else:
            route.fulfill(body=html, content_type="text/html; charset=utf-8")

    context = browser.new_context()
    try:
        tab = context.new_page()
        tab.route("**/*", answer)
        count = changed = 0
        for page in pages(name, persona):
            answers = {f"http://{host}{page.path}": served(label, page)}
            tab.goto(f"http://{host}{page.path}")
            ours = kinds(tab)
            changed += len(ours)
            controls, nodes = tab.evaluate(LIVE, [ours, name, host])
            expected = by_program(page.html, page.path, name, {host})
            assert ([tuple(one) for one in controls], [key for (key,) in nodes]) == expected, page.path
            count += len(nodes)
        assert count > 300
        assert bool(changed) == label.startswith("noise")
    finally:
        context.close()


@examples(400)
@given(html=documents(unseen=False), path=st.sampled_from(["/", "/p/3/x", "/a1b/?q=9", "/caf%C3%A9/", "/plain/way"]))
def test_keys_of_any_document_are_those_of_the_program(tab: Page, html: str, path: str) -> None:
    note(html)
    assert by_page(tab, html, path) == by_program(html, path)


@examples(200)
@given(html=documents())
def test_what_nobody_sees_counts_in_no_name(tab: Page, html: str) -> None:
    note(html)
    controls, nodes = by_page(tab, html)
    assert controls == by_program(html)[0]
    plain = html.translate(dict.fromkeys(map(ord, "\u200b\u00ad\ufeff\u2060")))
    assert nodes == by_page(tab, plain)[1]


@given(st.text() | st.text(" \t\x0b\x1c\x1f\x85\u00a0\u2028\ufeff\u200b\u00adab"))
def test_texts_are_cleaned_as_the_program_does(tab: Page, text: str) -> None:
    made = f"(text) => {{ const {{ clean, strip }} = ({source(NAMES)})({{}}); return [clean(text), strip(text)]; }}"
    assert tab.evaluate(made, text) == [clean(text), text.strip()]


@given(st.lists(st.text("ab3٣%/.-", max_size=6)).map("/".join), st.sampled_from(["", "?a=1", "?b/2"]))
def test_a_path_becomes_a_template_as_the_program_has_it(tab: Page, path: str, query: str) -> None:
    # An address in a browser is ASCII.
    path = f"/{path.replace('٣', '')}{query}"
    controls, _ = by_page(tab, "<body><button>x</button></body>", path)
    assert controls[0][2] == f"toy {path_template(path)} button x  #1"
