"""The canonical form of an annotated copy: visible changes of the site change it, our nodes do not."""

import pytest
from hypothesis import given, note
from hypothesis import strategies as st
from playwright.sync_api import Page

from stressweb.html import annotated_form
from tests.examples import examples
from tests.support.annotating import DISTURB, RUNTIME, WAYS, Tab, read
from tests.support.documents import documents

pytestmark = pytest.mark.sample(4, "file")

ORDER = """<!DOCTYPE html><html><head><title>Your order</title><style>.gone{display:none}.unseen{visibility:hidden}</style></head><body>
<main><h1>Your order</h1><p id="note">It comes <b>tomorrow</b>.</p>
<table><tbody id="rows"><tr><td>Red shoe</td><td itemprop="price" content="19.99">19.99</td></tr><tr><td>Blue hat</td><td>5.00</td></tr></tbody></table>
<form action="/pay" method="post"><fieldset id="part"><label>Number <input id="number" name="number" value="1"></label>
<label><input id="gift" type="checkbox" name="gift"> A gift</label><textarea id="words" name="words">Hello</textarea>
<select id="size" name="size"><option>S</option><option>M</option></select></fieldset><button id="pay">Pay</button></form>
<details id="more"><summary>More</summary><p>Fees</p></details><dialog id="ask">Sure? <button>Yes</button></dialog><div id="tip" popover="manual">A tip</div>
<a id="link" href="/help">Help</a></main></body></html>"""
ONE = "(id) => document.getElementById(id)"
PLANTS = {
    "a cent": "document.querySelector('td + td').firstChild.data = '19.98'",
    "what a program reads as the price": "document.querySelector('td + td').setAttribute('content', '19.98')",
    "a row less": "$('rows').lastChild.remove()",
    "another order": "$('rows').append($('rows').firstChild)",
    "a value": "$('number').value = '2'",
    "words in a field": "$('words').value = 'Hallo'",
    "a tick": "$('gift').checked = true",
    "half a tick": "$('gift').indeterminate = true",
    "another option": "$('size').selectedIndex = 1",
    "where a link leads": "$('link').href = '/other'",
    "hidden": "$('note').hidden = true",
    "not displayed": "$('note').style.display = 'none'",
    "hidden by a rule": "$('note').className = 'gone'",
    "not visible": "$('note').className = 'unseen'",
    "part of it not visible": "$('note').querySelector('b').style.visibility = 'hidden'",
    "hidden by an animation": "$('note').animate({ display: ['none', 'none'] }, { duration: 1, fill: 'forwards' })",
    "hidden by what is around it": "document.querySelector('table').style.display = 'none'",
    "inert": "$('part').inert = true",
    "inert by what is around it": "document.querySelector('main').inert = true",
    "read-only": "$('number').readOnly = true",
    "read-only words": "$('words').readOnly = true",
    "disabled": "$('pay').disabled = true",
    "disabled by a fieldset": "$('part').disabled = true",
    "open details": "$('more').open = true",
    "an open dialog": "$('ask').show()",
    "a modal dialog": "$('ask').showModal()",
    "an open popover": "$('tip').showPopover()",
    "a role": "$('note').setAttribute('role', 'alert')",
    "a name": "$('pay').setAttribute('aria-label', 'Cancel')",
    "a wrapper with a role": "around($('note'), 'div', { role: 'button' })",
    "a wrapper with a label": "around($('note'), 'div', { 'aria-label': 'Old' })",
    "a wrapper out of the accessibility tree": "around($('note'), 'div', { 'aria-hidden': 'true' })",
    "a wrapper that is a label": "around($('words'), 'label')",
    "a wrapper that is a link": "around($('note'), 'a', { href: '/other' })",
    "a wrapper that is hidden": "around($('note'), 'div', { hidden: '' })",
    "a wrapper that is not displayed": "around($('note'), 'div', { style: 'display: none' })",
    "a wrapper that is inert": "around($('note'), 'div', { inert: '' })",
    "a wrapper that disables": "around($('number'), 'fieldset', { disabled: '' })",
    "a wrapper that can be edited": "around($('note'), 'div', { contenteditable: '' })",
}


def show(tab: Tab, html: str) -> Page:
    page = tab[0]
    page.set_content(html)
    page.evaluate(RUNTIME)
    return page


def form(tab: Tab) -> str:
    return annotated_form.digest(read(*tab).annotated)


OURS = [[way, number] for number, way in enumerate(WAYS * 3)]


def test_every_planted_change_changes_the_form(tab: Tab) -> None:
    forms: dict[str, str] = {}
    for name, plant in PLANTS.items():
        page = show(tab, ORDER)
        forms.setdefault("nothing", form(tab))
        page.evaluate(f"() => {{ const $ = {ONE}; {plant}; }}")
        forms[name] = form(tab)
        # Again with many nodes of ours on the page.
        page.evaluate(DISTURB, OURS)
        assert form(tab) == forms[name], name
    # The ways to hide the paragraph look the same to a person; all other changes have different forms.
    equal_names = {name for name in forms if [*forms.values()].count(forms[name]) > 1}
    hidden = {"hidden", "not displayed", "hidden by a rule", "not visible", "hidden by an animation"}
    assert equal_names == hidden | {"a wrapper that is not displayed"}
    assert len({forms[name] for name in equal_names}) == 1


@pytest.mark.parametrize("attributes", [{}, {"class": "x"}, {"id": "x", "style": "color: red"}])
@pytest.mark.parametrize("name", ["span", "div"])
def test_a_bare_wrapper_is_not_in_the_form(tab: Tab, name: str, attributes: dict[str, str]) -> None:
    page = show(tab, ORDER)
    before = form(tab)
    page.evaluate(
        "([name, attributes]) => around(document.querySelector('#note'), name, attributes)", [name, attributes]
    )
    assert form(tab) == before


@examples(80)
@given(documents(), st.lists(st.tuples(st.sampled_from(WAYS), st.integers(0, 200)), min_size=1, max_size=12))
def test_it_is_the_same_with_and_without_our_nodes(tab: Tab, html: str, done: list[tuple[str, int]]) -> None:
    note(html)
    page = show(tab, html)
    before = form(tab)
    page.evaluate(DISTURB, done)
    assert form(tab) == before


# What a person perceives, as the browser reports it node by node.
SEEN = """() => {
  const perceived = [];
  for (const walker = document.createTreeWalker(document.body); walker.nextNode(); ) {
    const node = walker.currentNode;
    if (node.nodeType === 3) {
      if (node.data.trim()) perceived.push(node.data.trim());
    } else if (node.nodeType === 1) {
      const of = (names, property) => (node.matches(names) ? node[property] : null);
      const field = "input, textarea";
      const states = [node.checkVisibility({ visibilityProperty: true }), getComputedStyle(node).interactivity];
      states.push(node.matches(":disabled"), of(field, "readOnly"), of("details, dialog", "open"));
      perceived.push([node.localName, ...states, of("input", "checked"), of(field, "value")]);
    }
  }
  return perceived;
}"""
PLANT = """([change, position]) => {
  const all = [document.body, ...document.body.querySelectorAll("*")].filter((element) => !element.closest("svg"));
  const texts = all.flatMap((element) => [...element.childNodes]).filter((node) => node.nodeType === 3 && /[a-z]/i.test(node.data));
  const element = all[position % all.length];
  const text = texts[position % texts.length];
  const changes = [
    () => text && (text.data = text.data.replace(/[a-z]/i, (letter) => (letter === "q" ? "r" : "q"))),
    () => text && text.remove(),
    () => (element.hidden = !element.hidden),
    () => (element.style.display = "none"),
    () => (element.style.visibility = "hidden"),
    () => (element.inert = !element.inert),
    () => (element.disabled = true),
    () => (element.readOnly = true),
    () => (element.open = true),
    () => element.matches("input:not([type=file]), textarea") && (element.value = `${element.value}7`),
    () => element.matches("[type=checkbox], [type=radio]") && (element.checked = !element.checked),
  ];
  changes[change]();
}"""


@examples(100)
@given(documents(unseen=False), st.integers(0, 10), st.integers(0, 400))
def test_pages_that_look_different_have_different_forms(tab: Tab, html: str, change: int, position: int) -> None:
    note(html)
    page = show(tab, html)
    before, seen = form(tab), page.evaluate(SEEN)
    page.evaluate(PLANT, [change, position])
    if page.evaluate(SEEN) != seen:
        assert form(tab) != before
