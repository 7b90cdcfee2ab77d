"""noise.js: the exact changes of each operator, what stays readable and pressable, and that nothing else changes."""

import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, note
from hypothesis import strategies as st
from playwright.sync_api import Page

from stressweb.core.injections import AllowedInjections, Injection
from stressweb.html.accessible_name import clean
from stressweb.perturbations.noise import Noise
from stressweb.perturbations.noise.rule import OPERATORS, WIDTHLESS, restored
from tests.examples import examples
from tests.perturbations.noise.noisy import every, fired_at, form, inspect, moved, noise, only, show, tells, written
from tests.support.documents import documents
from tests.support.served import failure
from tests.support.tabs import Set
from tests.support.toy import PAGE

pytestmark = pytest.mark.sample(12, "file")

BODY = "<!DOCTYPE html><html><head>{}</head><body>{}</body></html>"
INNER = "document.body.innerHTML"


def page(body: str, head: str = "") -> str:
    return BODY.format(head, body)


class TestCanonicalForm:
    """From a page with noise, the runtime's data give the page without."""

    @pytest.mark.parametrize("density", [0.1, 0.35, 0.7, 1])
    def test_it_stays(self, tab: Page, tmp_path: Path, density: float) -> None:
        clean_form = form(show(tab, PAGE))
        for stress in range(4):
            show(tab, PAGE, noise(density, stress), tells(tmp_path))
            assert inspect(tab, "kinds.size") > 2
            assert form(tab) == clean_form

    def test_the_document_is_told_to_the_letter(self, tab: Page) -> None:
        """Classes, ids and references to them, and texts without the characters that noise has inserted."""
        wanted = written(show(tab, PAGE))
        for stress in range(4):
            assert written(show(tab, PAGE, noise(1, stress))) == wanted

    def test_what_the_runtime_tells_is_what_makes_it_the_same(self, tab: Page) -> None:
        assert form(show(tab, PAGE, noise(1)), "nobody") != form(show(tab, PAGE))

    @examples(25)
    @given(html=documents(), stress=st.integers(0, 100), density=st.sampled_from([0.35, 0.7, 1]))
    def test_it_stays_on_any_page(
        self, tab: Page, tmp_path_factory: pytest.TempPathFactory, html: str, stress: int, density: float
    ) -> None:
        note(html)
        clean_form = form(show(tab, html))
        show(tab, html, noise(density, stress), tells(tmp_path_factory.mktemp("x")))
        assert form(tab) == clean_form

    PLANTS = (
        "document.querySelectorAll('a').forEach((link) => (link.href += 'x'))",
        "document.querySelectorAll('input').forEach((field) => (field.value += '2026-01-01'))",
        "document.querySelector('form').hidden = true",
        "document.querySelector('option').remove()",
    )

    @pytest.mark.parametrize("plant", PLANTS)
    def test_a_planted_change_still_shows(self, tab: Page, tmp_path: Path, plant: str) -> None:
        show(tab, PAGE).evaluate(f"() => {{ {plant} }}")
        planted = form(tab)
        assert planted != form(show(tab, PAGE))
        show(tab, PAGE, noise(1), tells(tmp_path)).evaluate(f"() => {{ {plant} }}")
        assert form(tab) == planted


class TestOperators:
    """Each operator makes one exact change."""

    def changed(self, stage: Set, body: str, *places: str) -> str:
        toy = stage(only(*places), html=page(body))
        toy.read()
        return toy.page.evaluate(INNER)  # type: ignore[no-any-return]

    def test_wrap(self, stage: Set) -> None:
        markup = self.changed(stage, "<p>\n  Red <b>and</b> blue</p>", "wrap p Red  1")
        assert markup == "<p>\n  <span>Red</span> <b>and</b> blue</p>"

    def test_split(self, stage: Set) -> None:
        markup = self.changed(stage, "<p>Red shoes</p>", "split p Red shoes  1")
        assert markup.replace("<span>", "").replace("</span>", "") == "<p>Red shoes</p>"
        before, inner, after = markup.replace("</span>", "<span>").split("<span>")
        assert before != "<p>"
        assert inner
        assert after != "</p>"

    def test_widen(self, stage: Set) -> None:
        markup = self.changed(stage, "<p>Red shoes everywhere</p>", "widen p Red shoes everywhere  1")
        assert clean(markup) == "<p>Red shoes everywhere</p>"
        assert len(set(markup) - set("<p>Red shoes everywhere</p>")) == 1
        # Not between a letter and a blank, where it could be a run of its own.
        assert not set(markup[markup.index(" ") - 1] + markup[markup.index(" ") + 1]) & set(WIDTHLESS)

    def test_comment(self, stage: Set) -> None:
        markup = self.changed(stage, "<p>Red shoes</p>", "comment p Red shoes  1")
        assert markup.count("<!-- -->") == 1
        assert markup.replace("<!-- -->", "") == "<p>Red shoes</p>"

    def test_all_four_in_one_text(self, stage: Set) -> None:
        key = "p Red shoes everywhere  1"
        markup = self.changed(
            stage, "<p>Red shoes everywhere</p>", *(f"{operator} {key}" for operator in OPERATORS[:4])
        )
        assert markup.count("<span>") == 2
        assert markup.startswith("<p><span>")
        assert "<!-- -->" in markup
        assert clean(markup) != markup

    def test_dress(self, stage: Set) -> None:
        for body, classes in (("<p class='a b'>Red</p>", {"a", "b"}), ("<p>Red</p>", set())):
            toy = stage(only("dress p Red  1"), html=page(body))
            toy.read()
            class_names = toy.page.evaluate("[...document.querySelector('p').classList]")
            assert len(class_names) == len(classes) + 1
            assert set(class_names) > classes

    def test_duplicate(self, stage: Set) -> None:
        markup = self.changed(stage, "<div><a class='x' href='/a'>Red</a></div>", "duplicate a Red /a 1")
        twin, own = markup.removeprefix("<div>").split("</a>")[:2]
        assert own == '<a class="x" href="/a">Red'
        assert re.fullmatch('<a class="x( [a-z0-9]+)?" href="/a">Red', twin)
        markup = self.changed(stage, "<form><button class='x'>Save</button></form>", "duplicate button Save  1")
        assert re.fullmatch('<button class="x( [a-z0-9]+)?" type="button">Save', markup[6:].split("</button>")[0])
        assert markup.endswith('<button class="x">Save</button></form>')

    def test_a_duplicate_stands_behind_where_scripts_ask_for_the_first(self, stage: Set) -> None:
        toy = stage(only("duplicate a Red /a 1"), html=page("<div><a href='/a'>Red</a></div><script>let x</script>"))
        toy.read()
        assert toy.page.evaluate("[...document.querySelectorAll('a')].map((element) => element.checkVisibility())") == [
            True,
            False,
        ]

    WORDS = "<a href='/a'>Garden chairs</a> <a href='/b'>Table lamps</a> <a href='/c'>Old books</a> <button class='x'>Add shoes</button>"

    def test_hide_decoy(self, stage: Set) -> None:
        toy = stage(only("hide_decoy p Red  1"), html=page(f"<p>Red</p>{self.WORDS}"))
        toy.read()
        assert toy.page.evaluate(
            "[document.querySelector('p span').checkVisibility(), document.querySelector('p').innerText]"
        ) == [False, "Red"]
        assert toy.page.text_content("p span") in {"Add chairs", "Add lamps", "Add books"}

    def test_show_decoy(self, stage: Set) -> None:
        toy = stage(only("show_decoy p Red  1"), html=page(f"<p>Red</p><i></i>{self.WORDS}"))
        toy.read()
        decoy = "document.querySelector('p + button')"
        assert toy.page.evaluate(f"[{decoy}.type, {decoy}.classList[0], {decoy}.checkVisibility()]") == [
            "button",
            "x",
            True,
        ]
        assert toy.page.text_content("p + button") in {"Add chairs", "Add lamps", "Add books"}

    def test_rename_ids(self, stage: Set) -> None:
        body = "<label for=red>Red</label><input id=red aria-describedby='red hint'><p id=hint>Hint</p>"
        toy = stage(only("rename_ids red"), html=page(body))
        toy.read()
        new = toy.page.evaluate("document.querySelector('input').id")
        assert new != "red"
        markup = toy.page.evaluate(INNER)
        assert markup == (
            f'<label for="{new}">Red</label><input id="{new}" aria-describedby="{new} hint"><p id="hint">Hint</p>'
        )
        toy.page.click("text=Red")
        assert toy.page.evaluate("document.activeElement.id") == new
        assert fired_at(toy) == set()
        assert moved(toy) == [1]

    def test_every_operator_acts_and_says_how_often(self, stage: Set) -> None:
        toy = stage(noise(0.7, tells=True))
        toy.read()
        assert {what for what, _ in fired_at(toy)} == set(OPERATORS)
        assert moved(toy) == [len(fired_at(toy))]


class TestDraws:
    """One draw of an element and operator is compared with every density."""

    def test_severities_nest(self, stage: Set) -> None:
        places_by_density = []
        for density in (0.1, 0.2, 0.35, 0.5, 0.7, 1):
            toy = stage(noise(density, tells=True))
            toy.read()
            # The words of a decoy, and whether an element can be split, depend only on the page.
            places_by_density.append(fired_at(toy))
        assert [small <= large for small, large in pairwise(places_by_density)] == [True] * 5
        assert len(places_by_density[0]) < len(places_by_density[-1])

    def test_the_program_foresees_them(self, stage: Set) -> None:
        rule = noise(0.5, tells=True)
        toy, whole = stage(rule), stage(noise(1, tells=True))
        toy.read()
        whole.read()
        assert fired_at(toy) == {(what, key) for what, key in fired_at(whole) if rule.hits(what, key)}
        assert fired_at(toy)

    def test_where_a_cause_is_looked_for_only_some_places_are_disturbed(self, stage: Set) -> None:
        toy = stage(noise(1, tells=True))
        toy.read()
        places = sorted(fired_at(toy))
        names: list[Injection] = [("noise", operator, "/", key) for operator, key in places]
        chosen = names[::3]
        for allowed in (
            AllowedInjections(chosen),
            AllowedInjections(without=dict.fromkeys([injection for injection in names if injection not in chosen], 0)),
        ):
            narrowed = stage(noise(1).narrowed(allowed, "/", 1))
            narrowed.read()
            assert sorted(fired_at(narrowed)) == [(injection[1], injection[3]) for injection in chosen]
        nothing = stage(noise(1).narrowed(AllowedInjections(chosen), "/other", 1))
        nothing.read()
        assert moved(nothing) == []

    def test_at_density_0_nothing_is_done(self, stage: Set) -> None:
        look = (
            "() => [document.documentElement.outerHTML, `${Node.prototype.cloneNode}`, document.getAnimations().length]"
        )
        toy, plain = stage(noise(0)), stage()
        # The trace of an error has one more call if the function is not the browser's own.
        cloning = "() => { try { Node.prototype.cloneNode.call(null) } catch (error) { return error.stack.split('\\n').length } }"
        assert toy.page.evaluate(cloning) == plain.page.evaluate(cloning)
        toy.read()
        assert toy.page.evaluate(look) == plain.page.evaluate(look)
        assert toy.reports == []


class TestNothingIsLost:
    """A person reads the same page, every control works, and forms send the same."""

    def test_the_text_is_the_same_in_the_same_order(self, tab: Page, tmp_path: Path) -> None:
        site_text = "(() => { let all = ''; for (const w = document.createTreeWalker(document.body, 4); w.nextNode(); ) if (!isOurs(w.currentNode)) all += w.currentNode.data; return all; })()"
        show(tab, PAGE)
        before = inspect(tab, site_text)
        for stress in range(5):
            show(tab, PAGE, noise(1, stress), tells(tmp_path))
            text = inspect(tab, site_text)
            assert text != before
            assert clean(text) == clean(before)

    def test_what_can_be_seen_is_the_same_but_for_buttons(self, tab: Page, tmp_path: Path) -> None:
        show(tab, PAGE)
        before = tab.inner_text("body")
        for stress in range(5):
            show(tab, PAGE, noise(1, stress), tells(tmp_path))
            visible = inspect(tab, "ours.filter(seen).map((element) => element.textContent)")
            inspect(tab, "ours.filter(seen).forEach((element) => element.remove())")
            assert visible
            assert clean(tab.inner_text("body")) == clean(before)

    def test_controls_keep_their_names(self, tab: Page, tmp_path: Path) -> None:
        show(tab, PAGE)
        names = clean(tab.locator("body").aria_snapshot())
        for stress in range(5):
            show(tab, PAGE, noise(1, stress), tells(tmp_path))
            inspect(tab, "ours.filter(seen).forEach((element) => element.remove())")
            assert clean(tab.locator("body").aria_snapshot()) == names

    @pytest.mark.parametrize("stress", range(3))
    def test_forms_send_the_same_bytes(self, stage: Set, stress: int) -> None:
        sent = []
        for rules in ((), (noise(1, stress),)):
            toy = stage(*rules)
            if rules:
                toy.read()
            toy.page.fill("[name=name]", "Ada")
            toy.page.fill("[name=day]", "2026-02-03")
            toy.page.select_option("[name=size]", label="two")
            toy.page.click("label:has([name=agree])")
            toy.page.fill("textarea", "One\ntwo")
            toy.page.click("button:visible:text('Save it')" if not rules else "button[type=submit]")
            toy.arrived()
            sent += toy.posts
        assert sent == ["name=Ada&day=2026-02-03&size=two&agree=1&note=One%0D%0Atwo"] * 2

    def test_a_click_is_told_to_the_page_as_before(self, stage: Set) -> None:
        """A script that reads the target of a click gets the site's element."""
        body = (
            "<button>Add one thing</button> <a href='#x'>Go to the end</a> <label>Agree to it <input type=checkbox></label>"
            "<ul><li style='cursor: pointer'>Do the dishes</li></ul><p onclick=''>Open the list</p>"
        )
        script = "<script>got = []; addEventListener('click', (event) => { event.preventDefault(); got.push(event.target.localName) })</script>"
        toy = stage(every("wrap", "split", "widen", "comment"), html=page(body, script))
        toy.read()
        assert toy.page.evaluate("document.querySelectorAll('button span, a span').length") == 4
        for target in ("button", "a", "label", "li", "p"):
            box = toy.page.locator(target).bounding_box()
            assert box is not None
            for part in (0.1, 0.3, 0.5, 0.7):
                toy.page.mouse.click(box["x"] + part * min(box["width"], 90), box["y"] + box["height"] / 2)
        got = toy.page.evaluate("got.filter((name) => name !== 'input')")
        assert sorted(set(got)) == ["a", "button", "label", "li", "p"]
        toy.page.locator("button span").first.click()
        assert toy.page.evaluate("got.at(-1)") == "button"

    def test_what_is_copied_into_a_field_is_mapped_back(self, stage: Set) -> None:
        toy = stage(every("widen"), html=page("<p>Garden chairs</p><form method=post action=/do><input name=x></form>"))
        toy.read()
        value = toy.page.evaluate("document.querySelector('input').value = document.querySelector('p').textContent")
        assert value != "Garden chairs"
        assert restored(value) == "Garden chairs"
        assert Noise().restore(value) == "Garden chairs"
        assert restored("Ämter\u00a0\u200b") == "Ämter\u00a0\u200b"


class TestDecoys:
    """They look like the page's own controls and do nothing; hidden ones are hidden."""

    BUTTONS = (
        "<nav><a href='/a'>Garden chairs</a> <a href='/b'>Table lamps</a> <a href='/c'>Old books</a> "
        "<a href='/d'>Add chairs</a></nav><h2>One</h2><p>Two</p><h3>Three</h3><form method=post action=/do><button class='btn act'>Add shoes</button> "
        "<button class='btn' type=button>Show prices</button></form>"
    )

    def test_none_bears_a_real_name(self, tab: Page, tmp_path: Path) -> None:
        real = {"garden chairs", "table lamps", "old books", "add chairs", "add shoes", "show prices"}
        decoy_names: set[str] = set()
        for stress in range(12):
            show(tab, page(self.BUTTONS), every("show_decoy", "hide_decoy", stress=stress), tells(tmp_path))
            decoy_names |= {text.casefold() for text in inspect(tab, "ours.map((element) => element.textContent)")}
        assert len(decoy_names) > 4
        assert not decoy_names & real
        words = {word for name in real for word in name.split()}
        assert {word for name in decoy_names for word in name.split()} <= words

    def test_they_do_nothing(self, stage: Set, tmp_path: Path) -> None:
        script = "<script>got = 0; document.addEventListener('click', (event) => { got += event.target.closest('.btn') ? 1 : 0 })</script>"
        body = f"<button class='btn' type='button'>Find shoes</button>{self.BUTTONS}"
        toy = stage(every("show_decoy"), tells(tmp_path), html=page(body, script))
        toy.read()
        count = inspect(toy.page, "ours.filter(seen).length")
        assert count >= 4
        inspect(toy.page, "ours.forEach((element, n) => element.setAttribute('data-n', n))")
        for n in range(count):
            toy.page.click(f"[data-n='{n}']")
            toy.page.focus(f"[data-n='{n}']")
            toy.page.keyboard.press("Enter")
        assert toy.page.evaluate("got") == 0
        assert toy.posts == []
        toy.page.click("text=Show prices")
        assert toy.page.evaluate("got") == 1

    def test_where_scripts_run_the_first_of_a_look_stays_the_first(self, stage: Set, tmp_path: Path) -> None:
        for script, stands in (("", True), ("<script>let x</script>", False)):
            toy = stage(
                every("show_decoy", "duplicate", "hide_decoy"), tells(tmp_path), html=page(self.BUTTONS, script)
            )
            toy.read()
            firsts = "['button', '.btn', 'a', '.act'].some((name) => ours.includes(document.querySelector(name)))"
            assert inspect(toy.page, firsts) is stands
            assert inspect(toy.page, "ours.filter(seen).length") > 0

    def test_a_rule_of_the_page_that_is_important_shows_none(self, stage: Set, tmp_path: Path) -> None:
        head = "<style>.d-flex { display: flex !important } form a { display: block !important }</style>"
        body = "<p><a class='d-flex' href='/a'>Garden chairs</a></p><form><a href='/b'>Table lamps</a></form><a href='/c'>Old books</a>"
        toy = stage(every("duplicate", "hide_decoy", tells=True), tells(tmp_path), html=page(body, head))
        toy.read()
        assert inspect(toy.page, "ours.filter(seen).length") == 0
        assert inspect(toy.page, "ours.length") >= 3
        # Decoys that cannot be hidden are removed and not counted.
        assert toy.page.evaluate("document.querySelectorAll('form a').length") == 1
        assert not [key for _, key in fired_at(toy) if key.startswith("a Table lamps")]

    def test_none_stands_where_it_would_push_something_out_of_reach(self, stage: Set, tmp_path: Path) -> None:
        box = "<div style='height: 60px; overflow: hidden'><h3>Three</h3></div>"
        wide = "<div style='display: flex; width: 1270px'><h2 style='flex: 0 0 1240px'>Wide</h2></div>"
        narrow = "<div style='width: 30px; white-space: nowrap'><h3>Mon</h3></div>"
        placed = "<div><h3>Tue</h3><div style='position: relative; height: 90px'>10:00</div></div>"
        toy = stage(every("show_decoy"), tells(tmp_path), html=page(box + wide + narrow + placed + self.BUTTONS))
        toy.read()
        assert inspect(toy.page, "ours.filter((element) => element.closest('div')).length") == 0
        assert inspect(toy.page, "ours.length") > 2
        assert toy.page.evaluate("document.documentElement.scrollWidth") <= 1280

    def test_lists_and_tables_keep_their_form(self, stage: Set, tmp_path: Path) -> None:
        body = "<table><tr><td><p>One</p></td></tr></table><ul><li>Two</li></ul><select><option>Three</option></select><dl><dt>Four</dt><dd>Five</dd></dl>"
        toy = stage(noise(1), tells(tmp_path), html=page(body + self.BUTTONS))
        toy.read()
        children = "['tr', 'ul', 'select', 'dl'].map((name) => [...document.querySelector(name).children].map((element) => element.localName).join())"
        assert toy.page.evaluate(children) == ["td", "li", "option", "dt,dd"]
        assert (
            toy.page.evaluate("document.querySelector('option').outerHTML.replace(/ class=\"[a-z0-9]+\"/, '')")
            == "<option>Three</option>"
        )


BLOCKERS = {
    "a script": "<script src='/x.js'></script>",
    "a style sheet": "<style>#red { color: red }</style>",
    "an attribute of a style rule": "<style>[aria-labelledby~=red] { color: red }</style>",
    "a link": "<a href='#red'>Red</a>",
    "an inline handler": "<b onclick='show(\"red\")'>x</b>",
    "an address that is a script": "<a href='javascript:show()'>x</a>",
    "an attribute that a library reads": "<b hx-target='#red'>x</b>",
    "another one": "<b data-panel='red'>x</b>",
    "a drawing": "<svg><use href='#red'/></svg>",
    "a second one": "<b id=red>x</b>",
    "a style sheet from elsewhere": "<link rel=stylesheet href='http://127.0.0.1:1/x.css'>",
}


class TestIds:
    """Ids are renamed only without references, or together with their references."""

    BODY = "<label for=red>Red</label><input id=red>"

    @pytest.mark.parametrize("blocker", ["", *BLOCKERS])
    def test_what_something_names_stays(self, stage: Set, blocker: str) -> None:
        toy = stage(only("rename_ids red"), html=page(self.BODY + BLOCKERS.get(blocker, "")))
        toy.read()
        assert (toy.page.evaluate("document.querySelector('input').id") == "red") == bool(blocker)

    def test_data_is_no_script(self, stage: Set) -> None:
        toy = stage(only("rename_ids red"), html=page(self.BODY + "<script type='application/ld+json'>{}</script>"))
        toy.read()
        assert toy.page.evaluate("document.querySelector('input').id") != "red"


class TestWhen:
    """Noise comes with the first read; later reads disturb the elements drawn since."""

    def test_nothing_happens_before_a_read(self, stage: Set) -> None:
        toy = stage(noise(1))
        before = toy.markup()
        toy.page.evaluate("new Promise((done) => requestIdleCallback(done))")
        assert toy.markup() == before
        toy.read()
        assert toy.markup() != before

    def test_it_comes_by_itself_where_nobody_reads(self, stage: Set) -> None:
        toy = stage(noise(1))
        toy.page.wait_for_function("document.querySelectorAll('span').length > 3")
        assert len(moved(toy)) == 1

    def test_what_no_read_has_seen_is_not_told(self, stage: Set) -> None:
        """On a busy machine, data may come so late that the placeholder is disturbed."""
        toy = stage(every("dress"), watched=False, html=PAGE.replace("<main>", "<main><p id=wait><b>Wait</b></p>"))
        watched = stage(every("dress"))
        watched.read()
        toy.page.wait_for_function("document.querySelector('b').className !== ''")
        assert moved(toy) == []
        toy.page.evaluate("document.querySelector('main p').remove()")
        toy.read()
        assert moved(toy) == moved(watched)
        toy.read()
        assert len(moved(toy)) == 1

    def test_a_read_before_an_action_tells_what_it_sees(self, stage: Set) -> None:
        """The agent has seen the page, and acts before another read."""
        toy, watched = stage(every("dress"), watched=False), stage(every("dress"))
        watched.read()
        toy.page.wait_for_function("document.querySelector('main p').className !== ''")
        toy.read(acting=True)
        assert moved(toy) == moved(watched)

    def test_each_element_is_disturbed_once(self, stage: Set) -> None:
        toy = stage(noise(1))
        for _ in range(3):
            toy.read()
        assert len(moved(toy)) == 1
        before = toy.markup()
        toy.page.evaluate(
            "document.querySelector('main').insertAdjacentHTML('beforeend', '<p id=late>Drawn much later</p>')"
        )
        toy.read()
        assert len(moved(toy)) == 2
        late = toy.page.evaluate("document.querySelector('p[id=late], main p:last-of-type').outerHTML")
        assert "<span" in late
        # Everything that was there before is still there.
        assert before.split("</main>")[0] in toy.markup()

    def test_what_is_drawn_in_a_shadow_root_is_reached(self, stage: Set) -> None:
        script = (
            "<script>customElements.define('x-y', class extends HTMLElement { constructor() { super(); "
            "this.attachShadow({ mode: 'open' }).innerHTML = '<p>In a shadow root</p>' } })</script>"
        )
        toy = stage(every("wrap"), html=page("<x-y></x-y>", script))
        toy.read()
        assert (
            toy.page.evaluate("document.querySelector('x-y').shadowRoot.innerHTML")
            == "<p><span>In a shadow root</span></p>"
        )
        toy.page.evaluate(
            "document.querySelector('x-y').shadowRoot.append(Object.assign(document.createElement('p'), { textContent: 'Later' }))"
        )
        toy.read()
        assert (
            toy.page.evaluate("document.querySelector('x-y').shadowRoot.lastChild.outerHTML")
            == "<p><span>Later</span></p>"
        )

    def test_what_is_not_compiled_yet_stays(self, stage: Set) -> None:
        body = (
            "<p>Hello {{ name }}</p><div v-cloak><p>Some words</p></div><button @click='go'>Go there</button>"
            "<b :class='x'>Bound to it</b><div contenteditable><p>Some words to edit</p></div><template><p>Some words</p></template>"
        )
        toy = stage(every("wrap", "split", "widen", "comment", "dress"), html=page(body + "<p>Others</p>"))
        inner = "[...document.body.children].slice(0, -1).map((element) => element.innerHTML)"
        before = toy.page.evaluate(inner)
        toy.read()
        assert toy.page.evaluate(inner) == before
        assert "<span>" in toy.page.inner_html("body > p:last-of-type")
        toy.page.evaluate(
            "document.querySelector('[v-cloak]').removeAttribute('v-cloak'); document.body.append(document.createElement('hr'))"
        )
        toy.read()
        assert "<span>" in toy.page.inner_html("div > p")

    def test_of_a_large_page_the_beginning_is_disturbed(self, stage: Set) -> None:
        toy = stage(every("wrap"), html=page("<b>word</b>" * 8100))
        toy.read()
        assert moved(toy) == [8000]
        assert toy.page.evaluate("document.querySelectorAll('span').length") == 8000


def test_noise_and_failure_go_together(stage: Set) -> None:
    """No key and no gesture depends on our nodes."""
    toy = stage(noise(1), failure(0.5))
    plain = stage(failure(0.5))
    for arm in (toy, plain):
        if arm is toy:
            arm.read()
        for _ in range(3):
            arm.page.click("button[type=submit]")
            arm.page.wait_for_load_state()
            if arm.page.url.endswith("/done"):
                arm.page.goto(arm.served.base)
                if arm is toy:
                    arm.read()
    outcomes = [outcome for outcome in toy.outcomes if outcome[1] != "moved"]
    assert outcomes == plain.outcomes
