"""Accessibility trees read as pages: elements, values and items."""

import json
from typing import Any

import lxml.html
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from stressweb.html.accessible_name import clean
from stressweb.perception.tree_view import TreeView
from stressweb.plugins.agent import Observation

FORM = """
- banner:
  - link "Home":
    - /url: /a
  - link "Cart \\"2\\"":
    - /url: /cart
- main:
  - heading "Lamps" [level=1]
  - text: Name Ann
  - textbox "Name": Ann  B
  - textbox "Note":
    - /placeholder: Anything
    - text: two words
  - spinbutton "Count": "3"
  - checkbox "Wrap it" [checked]
  - checkbox "Terms"
  - combobox "Size":
    - option "Small"
    - 'option "Large: 2" [selected]'
  - button "Save" [disabled]
  - button "Save"
"""
ORDERS = """
- main:
  - article:
    - heading "Order 1" [level=3]
    - link "View"
    - heading "Red cup" [level=4]
    - text: "1"
    - link "Review"
    - heading "Blue cup" [level=4]
    - link "Review"
  - article:
    - heading "Order 2" [level=3]
    - link "View"
  - heading "Green cup" [level=2]:
    - link "Green cup"
  - link "Review"
  - list:
    - listitem:
      - text: Call about the grey cup
      - button "Remove"
    - listitem:
      - text: Call about tea
      - button "Remove"
"""
DIALOG = """
- main:
  - button "Save"
- dialog "Please confirm":
  - heading "Please confirm" [level=2]
  - paragraph: To proceed, press "I agree".
  - button "I agree"
  - status: Nothing was done.
"""

WORDS = st.text(st.characters(exclude_categories=("Cc", "Cn", "Cs")))


def reading(tree: str, url: str = "http://shop.test/a") -> TreeView:
    return TreeView(Observation(url=url, html="<p>not looked at</p>", tree=tree))


@pytest.mark.parametrize(
    ("role", "name", "value"),
    [("textbox", "Name", "Ann B"), ("textbox", "Anything", "two words"), ("spinbutton", "Count", "3")],
)
def test_fields_have_the_values_of_the_tree(role: str, name: str, value: str) -> None:
    page = reading(FORM)
    (field,) = page.find((role,), name)
    assert page.reads(field, value)
    assert not page.reads(field, value + "x")


@pytest.mark.parametrize("tree", [FORM, ORDERS, DIALOG])
def test_a_tree_reads_the_same_where_the_loader_in_c_is_missing(monkeypatch: pytest.MonkeyPatch, tree: str) -> None:
    """PyYAML has the C loader only if it was built with libyaml."""
    expected = lxml.html.tostring(reading(tree).root)
    monkeypatch.delattr(yaml, "CBaseLoader", raising=False)
    assert lxml.html.tostring(reading(tree).root) == expected


def test_states_are_read() -> None:
    page = reading(FORM)
    wrap, terms = page.any_of(("checkbox",))
    assert (page.checked(wrap), page.checked(terms)) == (True, False)
    (size,) = page.find(("combobox",), "Size")
    assert (size.tag, page.options(size), page.chosen(size)) == ("select", ["Small", "Large: 2"], "Large: 2")
    assert [page.disabled(button) for button in page.find(("button",), "Save")] == [False, True]


def test_links_have_the_urls_of_the_tree() -> None:
    page = reading(FORM)
    home, cart = page.any_of(("link",))
    assert (page.leads_here(home), page.leads_here(cart)) == (True, False)


def test_a_selector_says_role_name_and_number() -> None:
    page = reading(FORM)
    enabled = page.find(("button",), "Save")[0]
    assert page.selector(enabled) == 'role=button[name="Save"s] >> nth=1'
    assert page.selector(page.any_of(("link",))[1]) == 'role=link[name="Cart \\"2\\""s] >> nth=0'


@pytest.mark.parametrize("folded", ["- group: More", '- group:\n  - text: More\n  - button "Drop"'])
def test_the_summary_of_details_is_a_button(folded: str) -> None:
    """The tree shows `details` and its summary only as this group."""
    page = reading(f'- group "Size":\n  - radio "Large"\n- button "More"\n{folded}\n')
    button, summary = page.find(("button",), "More")
    assert (page.selector(button), page.selector(summary)) == (
        'role=button[name="More"s] >> nth=0',
        "role=group >> nth=1 >> summary",
    )
    assert page.text.count("More") == 2


def test_an_editor_holds_the_words_of_its_blocks() -> None:
    page = reading('- textbox "Text":\n  - paragraph: Dear Ann,\n  - list:\n    - listitem: one\n    - listitem: two\n')
    (editor,) = page.find(("textbox",), "Text")
    assert page.reads(editor, "Dear Ann,\n\none\ntwo")
    assert not page.reads(editor, "Dear Ann, one")


def test_an_item_is_found_by_its_heading_before_a_menu_link() -> None:
    page = reading('- listitem:\n  - link "Attic"\n- main:\n  - heading "Attic" [level=2]:\n    - link "Attic"\n')
    (link,) = page.find(("link",), "Attic", "Attic")
    assert page.selector(link) == 'role=link[name="Attic"s] >> nth=1'


def test_a_selector_without_a_name_counts_all_of_the_role() -> None:
    page = reading('- button "Save"\n- button\n')
    assert page.selector(page.any_of(("button",))[1]) == "role=button >> nth=1"


@pytest.mark.parametrize(
    ("role", "name", "on", "numbers"),
    [
        ("link", "Review", "Red cup", [0]),
        ("link", "Review", "Blue cup", [1]),
        ("link", "Review", "Green cup", [2]),
        ("link", "View", "Order 2", [1]),
        ("button", "Remove", "the grey cup", [0]),
        ("button", "Remove", "Call about tea", [1]),
        ("link", "Review", "Pink cup", []),
    ],
)
def test_controls_of_an_item_are_found_by_its_name(role: str, name: str, on: str, numbers: list[int]) -> None:
    page = reading(ORDERS)
    same_named = page.find((role,), name)
    assert [same_named.index(element) for element in page.find((role,), name, on)] == numbers


def test_split_and_decorated_names_are_found() -> None:
    page = reading('- main:\n  - button "Sa ve"\n  - link "Lamps (12)"\n  - link "Ca\u200crt"\n')
    assert page.find(("button",), "Save")
    assert page.find(("link",), "Lamps")
    assert page.find(("link",), "Cart")


def test_a_dialog_and_what_is_in_it() -> None:
    page = reading(DIALOG)
    (dialog,) = page.dialogs()
    assert page.visible_text(dialog) == 'Please confirm To proceed, press "I agree". I agree Nothing was done.'
    assert [page.inside(button, dialog) for button in page.any_of(("button",))] == [False, True]
    assert reading(FORM).dialogs() == []


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("Ann  B", "Bob", False),
        ('"Terms"', '"Terms" [checked]', False),
        ('"Small"', '"Small" [selected]', True),
        ('heading "Lamps"', 'heading "Chairs"', False),
        ("Lamps", "La\u200cmps", True),
        ("- main:", "- main: # a remark", True),
    ],
)
def test_a_digest_depends_on_words_and_values(old: str, new: str, same: bool) -> None:
    assert (reading(FORM).digest() == reading(FORM.replace(old, new)).digest()) is same
    assert reading(FORM).digest() != reading(FORM, "http://shop.test/b").digest()


@pytest.mark.parametrize(("state", "same"), [(" [expanded]", True), ("", False), (" [expanded=false]", False)])
def test_the_suggestions_of_an_open_field_do_not_count(state: str, same: bool) -> None:
    """A list box without an open field is a permanent part of the page."""
    closed = '- combobox "Find": Ann\n- button "Go"'
    offered = f'- combobox "Find"{state}: Ann\n- listbox "Suggestions":\n  - option "Ann Lee"\n- button "Go"'
    assert (reading(offered).digest() == reading(closed).digest()) is same
    assert reading(offered).find(["option"], "Ann Lee")


def test_transient_messages_may_be_left_out_of_a_digest() -> None:
    without = DIALOG.replace("  - status: Nothing was done.\n", "")
    assert reading(DIALOG).digest() != reading(without).digest()
    assert reading(DIALOG).digest(["Nothing was done."]) == reading(without).digest()


def test_an_empty_tree_is_an_empty_page() -> None:
    page = reading("")
    assert (page.text, page.any_of(("link",))) == ("", [])


@given(WORDS.filter(clean), WORDS)
def test_any_name_and_value_come_through(name: str, value: str) -> None:
    node = {f"textbox {json.dumps(name, ensure_ascii=False)}": value}
    page = reading(yaml.safe_dump([node], allow_unicode=True, width=10**6))
    (field,) = page.find(("textbox",), name)
    assert page.reads(field, value)
    assert json.dumps(name, ensure_ascii=False) in page.selector(field)


UPLOADS = """
- main:
  - text: Papers
  - button "Papers"
  - list "Chosen files":
    - listitem: a.txt
    - listitem: b c.csv
  - button "Send"
  - text: More
  - button "More"
  - button "Later"
  - list "What there is":
    - listitem: c.txt
"""


def test_the_files_of_a_file_field_are_listed_after_it() -> None:
    page = TreeView(Observation(url="http://x.test/", html="", tree=UPLOADS))
    held = {
        button.get("aria-label"): page.files(button) for button in page.any_of(("button",)) if page.takes_files(button)
    }
    assert held == {"Papers": ("a.txt", "b c.csv"), "Send": (), "More": (), "Later": ("c.txt",)}


NAMES = ("Ann", "Bob", "Cleo", "Dana")
LISTS: dict[str, tuple[str, list[Any]]] = {
    "rows": ("list", [("listitem", ["text: {}", "{control}"])]),
    "rows that begin with the control": ("list", [("listitem", ["{control}", "text: {}"])]),
    "table": ("table", [("row", ["cell: {}", "{control}"])]),
    "articles": ("main", [("article", ['heading "{}" [level=3]', "{control}"])]),
    "headings": ("main", ['heading "{}" [level=2]', "{control}"]),
    "headings in an article": ("article", ['heading "{}" [level=4]', "{control}"]),
}


def written(nodes: list[Any], depth: int = 0) -> str:
    """Write nodes as a snapshot: a text, or a role with its children."""
    lines = ""
    for node in nodes:
        head, children = (node, []) if isinstance(node, str) else (f"{node[0]}:", node[1])
        lines += f"{'  ' * depth}- {head}\n{written(children, depth + 1)}"
    return lines


def filled(nodes: list[Any], name: str, gone: bool) -> list[Any]:
    """Return the nodes of one item; a control that is gone is left out."""
    return [
        node.format(name) if node != "{control}" else ('link "Open"', [f"/url: /{name}"])
        for node in nodes
        if isinstance(node, str) and not (gone and node == "{control}")
    ] + [(node[0], filled(node[1], name, gone)) for node in nodes if not isinstance(node, str)]


@pytest.mark.parametrize("kind", LISTS)
@given(gone=st.sets(st.sampled_from(NAMES), max_size=3))
def test_a_control_of_another_item_never_stands_in_for_one_that_is_gone(kind: str, gone: set[str]) -> None:
    holder, nodes = LISTS[kind]
    items = [node for name in NAMES for node in filled(nodes, name, name in gone)]
    page = reading(written([(holder, items)]))
    for name in NAMES:
        expected = [] if name in gone else [f"/{name}"]
        assert [link.get("href") for link in page.find(("link",), "Open", name)] == expected
