"""noise.js under scripts of the page: they find their nodes, and copies of our nodes are known as ours."""

from pathlib import Path

import pytest
from playwright.sync_api import Page

from scripts.waited import IsolatedWorld
from stressweb.html.accessible_name import clean
from tests.perturbations.noise.noisy import every, form, inspect, noise, show, tells
from tests.support.served import READ, SENT

pytestmark = pytest.mark.sample(6, "file")

# A page whose script holds its nodes, as frameworks do: `texts` are its text nodes by their text.
HELD = """<!DOCTYPE html><html><head></head><body><main><h2>Garden furniture</h2>
<p class="lead">Some words <b>in bold letters</b> and a tail</p>
<ul><li><a href="/a">Red chairs</a></li><li><a href="/b">Blue tables</a></li><li><label>Nothing else</label></li></ul>
<form action="/do"><label for="count">Number of them</label><input id="count" name="count"><button class="btn">Add chairs</button></form></main>
<script>
texts = {};
for (const walker = document.createTreeWalker(document.querySelector("main"), 4); walker.nextNode(); ) {
  if (walker.currentNode.data.trim()) texts[walker.currentNode.data.trim()] = walker.currentNode;
}
first = texts["Some words"];
lead = first.parentNode;
[one, two, three] = document.querySelectorAll("li");
made = (name, text) => Object.assign(document.createElement(name), { textContent: text });
$ = (selector) => document.querySelector(selector);
</script></body></html>"""
UPDATES = {
    "a text is written": "first.data = 'Other words '",
    "a text is written by its value": "first.nodeValue = 'Other words '",
    "a text is prolonged": "first.data = 'Some words again '",
    "a text is removed": "lead.removeChild(first)",
    "a text removes itself": "first.remove()",
    "a text is replaced": "lead.replaceChild(made('i', 'New'), first)",
    "a text gives way": "first.replaceWith('New words ')",
    "something comes in front of a text": "lead.insertBefore(made('i', 'New'), first)",
    "something comes in front of what follows a text": "lead.insertBefore(made('i', 'New'), $('b'))",
    "something comes right behind a text": "lead.insertBefore(made('i', 'New'), first.nextSibling)",
    "something follows what follows a text": "$('b').after(made('i', 'New'))",
    "all is written over": "lead.textContent = 'All new'",
    "all is replaced": "lead.replaceChildren(made('i', 'New'), first)",
    "all is emptied": "lead.innerHTML = ''",
    "a text goes elsewhere": "one.append(first)",
    "a text goes and comes back": "lead.removeChild(first); lead.insertBefore(first, lead.firstChild)",
    "a text goes, is written and comes back": "first.remove(); first.data = 'Other words '; lead.prepend(first)",
    "what a link says is written": "texts['Red chairs'].data = 'Green chairs'",
    "what a button says is written": "texts['Add chairs'].data = 'Add tables'",
    "items change places": "one.parentNode.insertBefore(three, one); one.parentNode.append(two)",
    "an item goes": "one.remove()",
    "an item comes": "two.before(made('li', 'A new one'))",
    "an element goes elsewhere with all in it": "three.append(lead)",
    "an attribute changes": "lead.className = 'other'; $('.btn').className = 'btn big'",
    "a class is added": "lead.classList.add('more')",
    "an id changes": "$('input').id = 'other'; $('label').htmlFor = 'other'",
    "a field is found by its id": "document.getElementById('count').value = '3'",
}


def read_again(tab: Page) -> None:
    IsolatedWorld(tab).evaluate(SENT, [READ, None])


@pytest.fixture
def errors(tab: Page) -> list[str]:
    messages: list[str] = []
    tab.on("pageerror", lambda error: messages.append(str(error)))
    return messages


def becomes_the_same(tab: Page, html: str, act: str, tmp_path: Path) -> None:
    """Run the same script in a page with noise and in one without, and compare the pages.

    The canonical form is the same, at once and after another look at the page, and so is what is seen without ours.
    """
    show(tab, html).evaluate(act)
    expected, text = form(tab), tab.inner_text("main")
    for stress in range(2):
        show(tab, html, noise(1, stress), tells(tmp_path)).evaluate(act)
        assert form(tab) == expected
        read_again(tab)
        assert form(tab) == expected
        # Copies of hidden elements are hidden, too.
        inspect(tab, "ours.filter(seen).forEach((element) => element.remove())")
        assert clean(tab.inner_text("main")) == clean(text)


class TestUpdates:
    """A script's operations on its nodes have the same outcome as without noise."""

    @pytest.mark.parametrize("update", UPDATES)
    def test_the_page_becomes_what_it_would_have_become(
        self, tab: Page, tmp_path: Path, errors: list[str], update: str
    ) -> None:
        becomes_the_same(tab, HELD, f"() => {{ {UPDATES[update]} }}", tmp_path)
        assert errors == []

    def test_what_a_script_reads_is_what_the_site_wrote(self, tab: Page) -> None:
        """Except for characters without width, which the proxy removes from requests."""
        read_texts = (
            "Object.values(texts).map((node) => node.parentNode.closest('p, h2, a, label, button').textContent)"
        )
        before = show(tab, HELD).evaluate(read_texts)
        show(tab, HELD, every("wrap", "split", "widen", "comment", "hide_decoy"))
        assert [clean(text) for text in tab.evaluate(read_texts)] == [clean(text) for text in before]

    def test_a_text_is_whole_when_it_comes_back(self, tab: Page, tmp_path: Path) -> None:
        show(tab, HELD, every("wrap"), tells(tmp_path))
        assert tab.evaluate("first.data") == ""
        tab.evaluate("first.remove()")
        assert tab.evaluate("first.data") == "Some words "
        assert tab.evaluate("lead.textContent") == "in bold letters and a tail"


COPIES = {
    "cloned": "$('main').append($('p').cloneNode(true), $('ul').cloneNode(true), $('form').cloneNode(true))",
    "cloned and filled": "const row = $('ul').cloneNode(true); row.lastElementChild.append('!'); $('main').append(row)",
    "a clone of a clone": "$('main').append($('ul').cloneNode(true).cloneNode(true))",
    "imported": "$('main').append(document.importNode($('ul'), true))",
    "not deep": "$('main').append($('p').cloneNode(), $('p').cloneNode(false))",
    "written back": "$('main').innerHTML = $('main').innerHTML",
    "written back twice": "for (let i = 0; i < 2; i += 1) $('ul').innerHTML = $('ul').innerHTML",
    "written on": "$('ul').innerHTML += '<li>One more</li>'",
    "written in place of itself": "$('p').outerHTML = $('p').outerHTML; $('form').outerHTML = $('form').outerHTML",
    "inserted as markup": "$('main').insertAdjacentHTML('beforeend', $('ul').outerHTML + $('p').outerHTML)",
    "through a template": "const t = document.createElement('template'); t.innerHTML = $('ul').outerHTML; $('main').append(t.content.cloneNode(true))",
    "parsed": "$('main').append(new DOMParser().parseFromString($('ul').outerHTML, 'text/html').querySelector('ul'))",
    "made a fragment of": "const r = document.createRange(); r.selectNode($('ul')); $('main').append(r.createContextualFragment($('ul').outerHTML))",
    "adopted": "$('main').append(document.adoptNode($('ul')))",
    "cut out and put in": "const r = document.createRange(); r.selectNode($('ul')); const f = r.extractContents(); $('main').append(f)",
}
PLAIN = HELD.replace("<script>", "<script type='text/plain'>")
DOLLAR = "const $ = (selector) => document.querySelector(selector);"


class TestCopies:
    """A copy of our node is ours, and a copy of a changed node is changed."""

    @pytest.mark.parametrize("html", [HELD, PLAIN], ids=["with scripts", "without"])
    @pytest.mark.parametrize("copy", COPIES)
    def test_the_canonical_form_is_that_of_the_page_without_noise(
        self, tab: Page, tmp_path: Path, errors: list[str], copy: str, html: str
    ) -> None:
        becomes_the_same(tab, html, f"() => {{ {DOLLAR} {COPIES[copy]} }}", tmp_path)
        assert errors == []

    @pytest.mark.parametrize("copy", COPIES)
    def test_a_copy_of_what_is_hidden_is_hidden(self, tab: Page, tmp_path: Path, copy: str) -> None:
        show(tab, PLAIN, every("duplicate", "hide_decoy", "dress"), tells(tmp_path))
        before = inspect(tab, "ours.length")
        tab.evaluate(f"() => {{ {DOLLAR} {COPIES[copy]} }}")
        # Copies are processed when the copying script has ended, before the next frame is drawn.
        assert inspect(tab, "ours.filter(seen).length") == 0
        assert inspect(tab, "ours.length") >= before > 3

    def test_a_clone_follows_its_text(self, tab: Page, tmp_path: Path) -> None:
        show(tab, HELD, noise(1), tells(tmp_path))
        tab.evaluate(
            "() => { copy = lead.cloneNode(true); $('main').append(copy); copy.firstChild.data = 'Other words ' }"
        )
        assert clean(tab.evaluate("copy.textContent")).startswith("Other words in bold")

    def test_copies_of_decoys_do_nothing(self, tab: Page, tmp_path: Path) -> None:
        show(tab, PLAIN, every("show_decoy"), tells(tmp_path))
        count = inspect(tab, "ours.length")
        assert count >= 2
        tab.evaluate(f"() => {{ {DOLLAR} $('main').append($('main').cloneNode(true)) }}")
        tab.evaluate("() => { got = 0; addEventListener('click', () => (got += 1)) }")
        assert inspect(tab, "ours.length") == 2 * count
        inspect(tab, "ours.forEach((element) => element.click())")
        assert tab.evaluate("got") == 0

    def test_what_the_page_makes_its_own_is_its_own(self, tab: Page, tmp_path: Path) -> None:
        """An update that compares trees reuses any matching element."""
        show(tab, HELD, every("duplicate"), tells(tmp_path))
        assert inspect(tab, "ours.length") >= 2
        tab.evaluate(
            "() => { own = [...document.querySelectorAll('a')].find((link) => !link.checkVisibility()); own.textContent = 'Green chairs'; own.href = '/green' }"
        )
        assert tab.evaluate("own.checkVisibility()") is False
        read_again(tab)
        assert tab.evaluate("own.checkVisibility()") is True
        assert inspect(tab, "kinds.has(own)") is False

    def test_what_is_told_of_the_browser_looks_like_the_browsers(self, tab: Page) -> None:
        look = """() => [Node.prototype.cloneNode, Document.prototype.importNode, Function.prototype.toString].map((method) =>
          [method.name, method.length, `${method}`, method.toString(), Function.prototype.toString.call(method), typeof method,
            Object.getOwnPropertyNames(method).join(), "prototype" in method])
          .concat([[Node, "cloneNode"], [Document, "importNode"], [Function, "toString"]].map(([type, name]) => {
            const { writable, enumerable, configurable } = Object.getOwnPropertyDescriptor(type.prototype, name);
            return [writable, enumerable, configurable];
          }), ["cloneNode", "importNode"].map((name) => { try { document[name].call(null) } catch (error) { return `${error}` } }))"""
        plain = show(tab, HELD).evaluate(look)
        assert show(tab, HELD, noise(1)).evaluate(look) == plain
