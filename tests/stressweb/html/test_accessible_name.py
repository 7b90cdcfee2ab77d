import lxml.html
import pytest

from stressweb.html.accessible_name import Names, clean, name, role


def first(html: str) -> lxml.html.HtmlElement:
    root: lxml.html.HtmlElement = lxml.html.document_fromstring(f"<body>{html}</body>")
    return root.body[0]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<a href='/'>x</a>", "link"),
        ("<a>x</a>", ""),
        ("<input>", "textbox"),
        ("<input type=EMAIL>", "textbox"),
        ("<input type=search>", "searchbox"),
        ("<input type=number>", "spinbutton"),
        ("<input type=submit>", "button"),
        ("<input type=hidden>", ""),
        ("<summary>x</summary>", "button"),
        ("<select></select>", "combobox"),
        ("<select multiple></select>", "listbox"),
        ("<div role='alert'>x</div>", "alert"),
        ("<a href='/' role='button'>x</a>", "button"),
        ("<ul role='presentation'></ul>", ""),
        ("<img alt='' src='x'>", ""),
        ("<img alt='Cup' src='x'>", "img"),
        ("<section>x</section>", ""),
        ("<section aria-label='News'>x</section>", "region"),
        ("<th scope='row'>x</th>", "rowheader"),
        ("<div>x</div>", ""),
    ],
)
def test_role(html: str, expected: str) -> None:
    root = lxml.html.fromstring(f"<table><tr>{html}</tr></table>" if html.startswith("<th") else html)
    assert role(next(root.iter("th"), root)) == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<button>Add to <b>c</b>art</button>", "Add to cart"),
        ("<button>Add\u200b to\n  ca\u00adrt</button>", "Add to cart"),
        ("<a href=/><div>Red</div><div>shoe</div></a>", "Red shoe"),
        ("<a href=/>Red<br>shoe</a>", "Red shoe"),
        ("<a href=/>Red<span hidden> not</span><span aria-hidden=true> nor</span> shoe</a>", "Red shoe"),
        ("<a href=/ aria-label='Home'>x</a>", "Home"),
        ("<a href=/><img alt='Logo'></a>", "Logo"),
        ("<input type=submit value='Save'>", "Save"),
        ("<input type=submit>", "Submit"),
        ("<input type=image alt='Go'>", "Go"),
        ("<input placeholder='Your name'>", "Your name"),
        ("<input title='Code' placeholder='123'>", "Code"),
        ("<button aria-labelledby='a b'>x</button><i id=a>One</i><i id=b>Two</i>", "One Two"),
        ("<input id=q><label for=q>Quantity</label>", "Quantity"),
        ("<div>no role</div>", ""),
    ],
)
def test_name(html: str, expected: str) -> None:
    assert name(first(html)) == expected


def test_a_wrapping_label_names_its_field_without_the_fields_own_words() -> None:
    label = first("<label>Size <select><option>Large</select> in EU</label>")
    assert name(label.find("select")) == "Size in EU"


def test_hidden_elements_are_left_out() -> None:
    root = lxml.html.document_fromstring("<button>Buy <span class=x>not</span>now</button>")
    assert Names(root, lambda element: element.get("class") == "x").name(next(root.iter("button"))) == "Buy now"


def test_clean_collapses_white_space_and_drops_invisible_characters() -> None:
    assert clean(" a\u200b\ufeff \n\xa0b\u2060 ") == "a b"
