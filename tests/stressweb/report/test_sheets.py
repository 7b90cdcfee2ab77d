"""Recorded style sheets keep their rules and lose their URLs."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stressweb.log.recording import Shown
from stressweb.report.pack import Limits, Pack
from stressweb.report.page import report
from stressweb.report.sheets import make_harmless, sheet_ids_by_href
from stressweb.report.steps import steps
from tests.support.small_reports import block, recorded, source, unpacked

DATA = "url(\"data:image/svg+xml,%3csvg xmlns='http://www.w3.org/2000/svg'/%3e\")"


@pytest.mark.parametrize(
    ("sheet", "tamed"),
    [
        ("a { color: red }", "a { color: red }"),
        ('@import "x.css"; b {}', "  b {}"),
        ("@import url(x.css) print;b{}", " b{}"),
        ('@IMPORT url("a;b.css");b{}', " b{}"),
        (r"@\69mport 'x.css';b{}", " b{}"),
        ("i { background: #fff url(x.png) no-repeat }", "i { background: #fff none no-repeat }"),
        ("i { background: URL( 'http://x.test/x.png' ) }", "i { background: none }"),
        (r"i { background: u\72l(x.png) }", "i { background: none }"),
        ("i { background: image-set('x.png' 1x) }", "i { background: none('x.png' 1x) }"),
        (f"i {{ background: {DATA} }}", f"i {{ background: {DATA} }}"),
        ("i { background: url(data:image/gif;base64,R0lG) }", "i { background: url(data:image/gif;base64,R0lG) }"),
        ("/* url(x) */ i { content: 'url(x)' } u { content: \"/* '\" }", "  i { content: 'url(x)' } u { content: \"/* '\" }"),
        (r'i::before { content: "\f101" } .\31 0 {}', r'i::before { content: "\f101" } .\31 0 {}'),
        ("a:not([href]):not([class]) {} a:link, a:any-link {}", "a:not([data-href]):not([class]) {} a[data-href], a[data-href] {}"),
        ("</style><script>", r"\3c /style>\3c script>"),
    ],
)  # fmt: skip
def test_a_sheet_keeps_its_rules_and_fetches_nothing(sheet: str, tamed: str) -> None:
    assert make_harmless(sheet) == tamed


@given(
    st.lists(st.sampled_from(["url(", "@import", "'", '"', "/*", "*/", ")", ";", "x", "\\", "\n", "<", " ", "data:"]))
)
def test_no_sheet_can_close_its_style_element(parts: list[str]) -> None:
    assert "<" not in make_harmless("".join(parts))


PAGE = '<html><head><link rel="stylesheet" href="/a.css"></head><body><a class="first" href="/x">x</a></body></html>'


def test_a_page_names_its_sheets_and_each_goes_in_once() -> None:
    _, record = recorded(html=PAGE)
    pack = Pack(Limits())
    pages = steps(record, None, pack).pages
    linked = sheet_ids_by_href(record, pages, {"http://shop.test/a.css": "b { top: 0 }"}, pack)
    (name,) = pack.blocks
    assert linked == [{"/a.css": name}] * len(pages)
    assert unpacked(pack.blocks[name]) == "b { top: 0 }"


def test_a_sheet_of_another_page_or_without_room_is_left_out() -> None:
    _, record = recorded(html=PAGE)
    record.steps[0] = type(record.steps[0])(Shown("http://shop.test/y/", PAGE.replace("/a.css", "b.css")))
    pages = steps(record, None, Pack(Limits())).pages
    sheets = {"http://shop.test/y/b.css": "b {}", "http://other.test/a.css": "a {}"}
    pack = Pack(Limits())
    linked = sheet_ids_by_href(record, pages, sheets, pack)
    (name,) = pack.blocks
    assert linked == [{"b.css": name}, *[{}] * (len(pages) - 1)]
    assert sheet_ids_by_href(record, pages, sheets, Pack(Limits(pages=0))) == [{}] * len(pages)
    assert sheet_ids_by_href(record, pages, {}, Pack(Limits())) == []


def test_a_run_with_sheets_and_one_without_are_both_reported() -> None:
    episodes = [recorded(html=PAGE, condition=label) for label in ("clean", "remap@3")]
    without = report(source(episodes))
    assert "data-styles='[]'" in block(without, "d1")
    text = report(source(episodes, sheets={"http://shop.test/a.css": "</style>'\"<script>"}))
    (name,) = re.findall(r'id="(c[0-9a-f]{18})"', text)
    assert f"""data-styles='[{{"/a.css": "{name}"}}""" in block(text, "d1")
    assert block(text, name).startswith(r"\3c /style>")
