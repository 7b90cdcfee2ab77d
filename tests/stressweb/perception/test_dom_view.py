import lxml.html
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stressweb.perception.dom_view import DomView, fit
from stressweb.plugins.agent import Box, Observation

ITEMS = """<main>
<div itemscope itemtype="https://schema.org/OrderItem"><div itemprop="orderedItem" itemscope>
  <a href="/1" itemprop="name">Red cup</a></div><input aria-label="Quantity" value="1"><button>Remove</button></div>
<div itemscope itemtype="https://schema.org/OrderItem"><div itemprop="orderedItem" itemscope>
  <a href="/2" itemprop="name">Blue cup</a></div><input aria-label="Quantity" value="2"><button>Remove</button></div>
</main>"""


def reading(html: str, hidden: str = "", url: str = "http://shop.test/a") -> DomView:
    """Read a page; elements of class `hidden` and their descendants have no boxes."""
    root = lxml.html.document_fromstring(html)
    boxes: list[Box | None] = []
    for number, element in enumerate(root.iter("*")):
        out = hidden and any(
            hidden in (ancestor.get("class") or "").split() for ancestor in (element, *element.iterancestors())
        )
        boxes.append(None if out else (10.0, 10.0 * number, 100.0, 20.0))
    return DomView(Observation(url=url, html=html, boxes=boxes))


@pytest.mark.parametrize(
    ("name", "wanted", "expected"),
    [
        ("Add to cart", "Add to cart", 0),
        ("Add\u200b to  cart", "Add to cart", 0),
        ("ADD TO CART", "Add to cart", 1),
        ("Add tocart", "Add to cart", 2),
        ("Name *", "Name", 3),
        ("Lamps (12)", "Lamps", 3),
        ("Add to cart now", "Add to cart", None),
        ("Add", "Add to cart", None),
        ("", "", 0),
    ],
)
def test_fit(name: str, wanted: str, expected: int | None) -> None:
    assert fit(name, wanted) == expected


def test_hidden_twins_are_not_found_and_exact_words_come_first() -> None:
    page = reading("<button class=no>Buy</button><button id=b>BUY</button><button id=a>Buy</button>", hidden="no")
    assert [element.get("id") for element in page.find(("button",), "Buy")] == ["a", "b"]


def test_disabled_elements_and_later_roles_come_last() -> None:
    page = reading("<a id=l href=/>Buy</a><button id=d disabled>Buy</button><button id=b>Buy</button>")
    assert [element.get("id") for element in page.find(("button", "link"), "Buy")] == ["b", "l", "d"]


@pytest.mark.parametrize(("on", "value"), [("Red cup", "1"), ("Blue cup", "2")])
def test_a_target_is_found_in_the_named_item(on: str, value: str) -> None:
    page = reading(ITEMS)
    assert [page.value(field) for field in page.find(("textbox",), "Quantity", on)] == [value]


def test_no_item_of_that_name_means_no_target() -> None:
    assert reading(ITEMS).find(("button",), "Remove", "Green cup") == []


def test_rows_stand_in_for_items_without_microdata() -> None:
    rows = "".join(f"<tr><td>{name}</td><td><a href=/{name}>Edit</a></td></tr>" for name in ("Ann", "Bob"))
    assert [link.get("href") for link in reading(f"<table>{rows}</table>").find(("link",), "Edit", "Bob")] == ["/Bob"]


def test_selectors_find_the_element_again_and_no_other() -> None:
    html = "<div><p>a</p><p id=x>b</p><i id=x>c</i></div><div><p>d</p><b id='y:1'>e</b></div>"
    page = reading(html)
    for element in page.root.iter("p", "i", "b", "div"):
        assert page.root.cssselect(page.selector(element)) == [element]


def test_an_element_without_a_box_is_visible_by_its_children() -> None:
    html = "<body><div class=flat><button>Buy</button></div></body>"
    root = lxml.html.document_fromstring(html)
    boxes = [None if element.tag == "div" else (0.0, 0.0, 50.0, 20.0) for element in root.iter("*")]
    page = DomView(Observation(url="http://shop.test/", html=html, boxes=boxes))
    assert page.text == "Buy"
    assert page.centre(page.find(("button",), "Buy")[0]) == (25.0, 10.0)


@pytest.mark.parametrize(
    "html",
    [
        "<body><p>Hel<span>lo</span></p><input value=a><input type=checkbox></body>",
        "<body><p class=zz style='outline:1px solid'>Hello</p><input value=a><input type=checkbox></body>",
        "<body><p>He\u200bllo</p><input class=k id=n value=a><input type=checkbox></body>",
        "<body><p>Hello</p><p class=no>bye</p><input value=a><input type=checkbox></body>",
    ],
)
def test_the_digest_ignores_styles_and_hidden_elements(html: str) -> None:
    plain = reading("<body><p>Hello</p><input value=a><input type=checkbox></body>")
    assert reading(html, hidden="no").digest() == plain.digest()


@pytest.mark.parametrize(
    "html",
    [
        "<body><p>Hallo</p><input value=a><input type=checkbox></body>",
        "<body><p>Hello</p><input value=b><input type=checkbox></body>",
        "<body><p>Hello</p><input value=a><input type=checkbox checked></body>",
    ],
)
def test_the_digest_sees_words_and_values(html: str) -> None:
    plain = reading("<body><p>Hello</p><input value=a><input type=checkbox></body>")
    assert reading(html).digest() != plain.digest()


def test_the_suggestions_of_a_field_do_not_count() -> None:
    field = "<input role=combobox value=ab>{}<p>Search</p><p>Abel Abigail Moss</p>"
    offered = "<ul role=listbox><li role=option>Abel</li><li role=option>Abigail Moss</li></ul>"
    plain = reading(field.format(""))
    assert reading(field.format(offered)).digest() == plain.digest()
    # A list box of its own is a permanent part of the page.
    assert reading(field.format("<select size=3><option>Abel</select>")).digest() != plain.digest()


def test_the_look_sees_a_class_on_the_element_or_its_label_but_no_value() -> None:
    before = reading("<label for=c>On</label><input id=c type=checkbox value=1>")
    box = before.find(("checkbox",), "On")[0]
    for html, same in (
        ("<label for=c>On</label><input id=c type=checkbox value=1 checked>", True),
        ("<label for=c>On</label><input id=c type=checkbox value=1 class=k>", False),
        ("<label for=c class=k>On</label><input id=c type=checkbox value=1>", False),
    ):
        after = reading(html)
        assert (after.style_signature(after.find(("checkbox",), "On")[0]) == before.style_signature(box)) is same


def test_lists_have_their_chosen_option() -> None:
    page = reading("<select aria-label=Size><option>S<option selected>  L\u200barge </select>")
    assert page.chosen(page.find(("combobox",), "Size")[0]) == "Large"


def test_a_link_that_leads_here() -> None:
    page = reading("<a href='/a#top'>A</a><a href='/b'>B</a>")
    assert [page.leads_here(link) for link in page.root.iter("a")] == [True, False]


LISTS = {
    "microdata": ("<div>{}</div>", "<div itemscope><b itemprop=name>{}</b>{}</div>"),
    "a thing in its item": (
        "<div>{}</div>",
        "<div itemscope><p itemprop=item itemscope><b itemprop=name>{}</b></p>{}</div>",
    ),
    "an item with a box for another thing": (
        "<div>{}</div>",
        "<div itemscope><b itemprop=name>{}</b><div><p itemprop=item itemscope><i itemprop=name>Cup</i></p>{}</div></div>",
    ),
    "a name and a form in its box": (
        "<section>{}</section>",
        "<div><p itemscope><b itemprop=name>{}</b></p><form>{}</form></div>",
    ),
    "a name and an offer in its row": (
        "<ul>{}</ul>",
        "<li><p itemscope><b itemprop=name>{}</b></p><p itemprop=offers itemscope>{}</p></li>",
    ),
    "table": ("<table>{}</table>", "<tr><td>{}</td><td>{}</td></tr>"),
    "list": ("<ul>{}</ul>", "<li><p>{}</p>{}</li>"),
    "articles": ("<div>{}</div>", "<article><h3>{}</h3>{}</article>"),
}


@pytest.mark.parametrize("kind", LISTS)
@given(gone=st.sets(st.sampled_from(("Ann", "Bob", "Cleo", "Dana")), max_size=3))
def test_a_control_of_another_item_never_stands_in_for_one_that_is_gone(kind: str, gone: set[str]) -> None:
    whole, item = LISTS[kind]
    controls = {
        name: f'<button id="{name}"{" class=gone" if name in gone else ""}>Remove</button>'
        for name in ("Ann", "Bob", "Cleo", "Dana")
    }
    page = reading(whole.format("".join(item.format(*pair) for pair in controls.items())), hidden="gone")
    for name in controls:
        expected = [] if name in gone else [name]
        assert [button.get("id") for button in page.find(("button",), "Remove", name)] == expected


def test_a_control_beside_its_item_is_found_though_other_items_have_their_own() -> None:
    page = reading(
        "<main><header itemscope><h1 itemprop=name>Red cup</h1></header><button id=b>Buy</button>"
        "<ul><li><p itemscope><a itemprop=name href=/2>Blue cup</a></p><button>Buy</button></li></ul></main>"
    )
    assert [button.get("id") for button in page.find(("button",), "Buy", "Red cup")] == ["b"]
