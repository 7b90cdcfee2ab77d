"""Pages as testers see them."""

from lxml.html import HtmlElement, document_fromstring

from stressweb.cases.sight import read
from tests.stressweb.cases.toy_pages import ALL, PRESSED, sight


def test_the_contents_of_a_page_are_read() -> None:
    page = PRESSED[1]
    assert (page.path, page.heading, page.messages) == ("/lamps", "Cheap lamps", ("1 filter is set.",))
    assert page.fields == {"Words": "alta 40", "Sort by": "Cheapest"}, "no password, and no label of two fields"
    assert page.options == {"Sort by": ("Newest", "Cheapest")}
    assert page.boxes == {"In stock": True, "On sale": False}
    assert page.listed == ("Alta lamp", "Bergen lamp")
    assert page.lines == ("2 lamps",)
    assert ("button", "Apply") in page.controls
    assert "Nobody" not in page.text


def test_a_page_says_the_words_of_its_controls_and_fields() -> None:
    page = sight(words="Tromsø")
    assert page.says("tromsø")
    assert page.says("BASKET")
    assert not page.says("hush")
    assert not page.says("Home Basket Apply")


def test_entries_of_two_kinds_are_no_list() -> None:
    html = '<main><p itemscope itemtype="A"><b itemprop="name">One</b></p>{}</main>'
    other_kind = '<p itemscope itemtype="B"><b itemprop="name">Two</b></p>'
    assert read("/", document_fromstring(html.format(""))).listed == ("One",)
    assert read("/", document_fromstring(html.format(other_kind))).listed == ()


def test_elements_that_a_browser_does_not_draw_are_not_seen() -> None:
    def is_shown(element: HtmlElement) -> bool:
        return bool(element.text != "Oslo lamp" and element.get("type") != "submit")

    html = "<main><h1>Lamps</h1><button type=submit>Apply</button>"
    html += "".join(f'<i itemscope><b itemprop="name">{name}</b></i>' for name in ALL)
    page = read("/", document_fromstring(html), is_shown=is_shown)
    assert page.listed == ("Bergen lamp", "Alta lamp")
    assert ("button", "Apply") not in page.controls


def test_a_name_for_screen_readers_only_is_no_entry() -> None:
    html = '<main><i itemscope><b class="m-0 visually-hidden" itemprop="name">Oslo lamp</b></i></main>'
    assert read("/", document_fromstring(html)).listed == ()
    assert read("/", document_fromstring(html.replace("visually-hidden", "visible"))).listed == ("Oslo lamp",)


def test_text_that_is_shown_on_demand_is_no_line() -> None:
    html = "<main><p>Always</p><dialog><h2>Share</h2></dialog><details{}><p>More</p></details></main>"
    closed, opened = (read("/", document_fromstring(html.format(state))) for state in ("", " open"))
    assert closed.lines == ("Always",)
    assert opened.lines == ("Always", "More")
