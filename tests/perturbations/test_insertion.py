"""Insertion of a script as text: its place, and that a document has no trace of it once it has removed itself."""

from collections.abc import Callable, Iterator
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import Browser, Route

from stressweb.perturbations.insertion import LIMIT, Inserter, Unfit
from tests.perturbations.documents import NASTY, PLACES, dom

pytestmark = pytest.mark.sample(40, "file")

SCRIPT = "<script>S</script>"


def served(
    data: bytes, script: str = SCRIPT, charset: str | None = None, *, xml: bool = False
) -> tuple[bytes, Inserter]:
    inserter = Inserter(script, charset, xml=xml)
    return inserter.feed(data) + inserter.finish(), inserter


@pytest.mark.parametrize("marked", PLACES.values(), ids=PLACES)
@pytest.mark.parametrize("codec", ["utf-8", "utf-16le", "utf-16be"])
def test_the_place_is_before_whatever_brings_the_head_into_being(marked: str, codec: str) -> None:
    out, inserter = served(marked.replace("|", "").encode(codec), charset=codec)
    assert out.decode(codec) == marked.replace("|", SCRIPT)
    assert (inserter.inserted, inserter.unfit) == (True, None)


@pytest.mark.parametrize(
    ("data", "charset", "why"),
    [
        (b"", None, Unfit.EMPTY),
        (b"<!-- never ends <head>", None, Unfit.BROKEN),
        (b'<html a="x><head>', None, Unfit.BROKEN),
        (b"<html", None, Unfit.BROKEN),
        (b" <!-", None, Unfit.BROKEN),
        (b"<!--" + b"x" * LIMIT + b"--><head>", "utf-8", Unfit.LONG),
        ("<head>".encode("utf-16le"), None, Unfit.CHARSET),
        (b"<head>", "HZ-GB-2312", Unfit.CHARSET),
        (b"<!--\x1b$B--><head>", "iso-2022-jp", Unfit.CHARSET),
        (b"<p>x<meta charset=shift_jis>", None, Unfit.DECLARED_LATE),
    ],
)
def test_what_is_odd_passes_unchanged(data: bytes, charset: str | None, why: Unfit) -> None:
    out, inserter = served(data, charset=charset)
    assert (out, inserter.unfit, inserter.inserted) == (data, why, False)


def test_a_byte_order_mark_counts_before_the_header() -> None:
    for bom, codec in ((b"\xff\xfe", "utf-16le"), (b"\xfe\xff", "utf-16be"), (b"\xef\xbb\xbf", "utf-8")):
        out, _ = served(bom + "<head>ä".encode(codec), charset="windows-1252")
        assert out == bom + f"<head>{SCRIPT}ä".encode(codec)


def test_a_declaration_in_the_head_is_no_hindrance() -> None:
    for html in (b"<title>x</title><meta charset=big5>", b"<p><meta name=x>", b"<html><head><meta charset=big5><p>"):
        out, inserter = served(html)
        assert inserter.inserted
        assert out.replace(SCRIPT.encode(), b"") == html


@pytest.mark.parametrize(
    ("marked", "why"),
    [
        ('<?xml version="1.0"?>\n<!DOCTYPE html>\n<!--x--><html xmlns="x" a=">">|\n<head>', None),
        ('<!DOCTYPE html [<!ENTITY a "<b>">]><html><head/></html>', Unfit.NO_ROOT),
        ("<h:html xmlns:h='x'></h:html>", Unfit.NO_ROOT),
        ("<html/>", Unfit.NO_ROOT),
        ("<svg>", Unfit.NO_ROOT),
        ("text", Unfit.NO_ROOT),
        ("<html ", Unfit.BROKEN),
    ],
)
def test_in_xhtml_it_stands_right_behind_the_root(marked: str, why: Unfit | None) -> None:
    out, inserter = served(marked.replace("|", "").encode(), xml=True)
    assert (out.decode(), inserter.unfit) == (marked.replace("|", SCRIPT), why)


def test_nothing_is_held_once_the_place_is_known() -> None:
    inserter = Inserter(SCRIPT, "utf-8")
    assert inserter.feed(b"<html><head") == b""
    assert inserter.feed(b"><title>") == f"<html><head>{SCRIPT}<title>".encode()
    assert inserter.feed(b"<head>") == b"<head>"
    assert inserter.finish() == b""


def test_a_script_must_read_the_same_in_every_character_set() -> None:
    with pytest.raises(ValueError, match="ASCII"):
        Inserter("<script>'ä'</script>")


PIECES = [
    "<!doctype html>", "<!DOCTYPE", "<html", "<html>", "<head>", "</head>", "<header>", "<body>", "<!--", "-->", "--!>", "<!", "<?", "</p>",
    "</br>", "</", "&#32;", "&#", "9", "&Tab", ">", "<", "/", "=", '"', "'", " ", "\n", "\0", "a", "é", "<p>", "<meta charset=utf-8>", "\ufeff", "-",
]  # fmt: skip
documents = st.one_of(st.lists(st.sampled_from(PIECES), max_size=20).map("".join), st.text(max_size=40)).flatmap(
    lambda text: st.sampled_from(["utf-8", "utf-16le", "utf-16be"]).map(lambda codec: text.encode(codec, "replace"))
)
charsets = st.sampled_from([None, "utf-8", "utf-16le", "utf-16be", "iso-2022-jp", "windows-1252"])


@given(data=st.one_of(documents, st.binary(max_size=30)), charset=charsets, xml=st.booleans(), cuts=st.data())
def test_the_size_of_the_pieces_is_of_no_account(
    data: bytes, charset: str | None, *, xml: bool, cuts: st.DataObject
) -> None:
    whole, once = served(data, charset=charset, xml=xml)
    places = cuts.draw(st.lists(st.integers(0, len(data)), max_size=8).map(sorted))
    inserter = Inserter(SCRIPT, charset, xml=xml)
    out = b"".join(inserter.feed(data[start:end]) for start, end in pairwise([0, *places, len(data)]))
    assert out + inserter.finish() == whole
    assert (inserter.inserted, inserter.unfit) == (once.inserted, once.unfit)
    # Either the same bytes, or the same bytes with one script inserted.
    assert once.inserted == (whole != data) == (once.unfit is None)
    codec = "utf-16le" if SCRIPT.encode("utf-16le") in whole else "utf-16be" if b"\0S\0<" in whole else "utf-8"
    assert whole == data or whole.replace(SCRIPT.encode(codec), b"", 1) == data


@pytest.mark.parametrize("size", [1021, LIMIT - 1, LIMIT, LIMIT + 1])
def test_the_limit_does_not_depend_on_the_size_of_the_pieces(size: int) -> None:
    for length, why in ((LIMIT - 13, None), (LIMIT - 12, Unfit.LONG)):
        data = b"<!--" + b"x" * length + b"--><head>" + b"y" * 9
        inserter = Inserter(SCRIPT, "utf-8")
        for start in range(0, len(data), size):
            inserter.feed(data[start : start + size])
        assert inserter.unfit is why


REMOVES_ITSELF = "<script>document.currentScript.remove();window.ran=document.documentElement.outerHTML</script>"
XML_SCRIPT = REMOVES_ITSELF.replace("<script>", '<script xmlns="http://www.w3.org/1999/xhtml">')


SERVED = (
    ("utf-8", "text/html; charset=utf-8"), ("latin-1", "text/html"), ("utf-16le", "text/html; charset=utf-16"),
)  # fmt: skip


@pytest.fixture(scope="module")
def show(browser: Browser) -> Iterator[Callable[[bytes, str], tuple[str, bool]]]:
    """Return the DOM of a body with a content type, including mode and character set, and whether our script ran."""
    with browser.new_context() as context:
        page = context.new_page()
        answer: dict[str, bytes | str] = {}

        def serve(route: Route) -> None:
            route.fulfill(body=answer["body"], content_type=str(answer["type"]))

        page.route("**/*", serve)

        def dom_of(body: bytes, kind: str) -> tuple[str, bool]:
            answer.update(body=body, type=kind)
            page.goto("http://site.test/")
            return dom(page), bool(page.evaluate("() => Boolean(window.ran)"))

        yield dom_of


@pytest.mark.sample(1)
@pytest.mark.parametrize(("codec", "kind"), SERVED)
def test_documents_have_no_trace_of_a_script_that_removed_itself(
    show: Callable[[bytes, str], tuple[str, bool]], codec: str, kind: str
) -> None:
    # A navigation is slow, so only UTF-8 is tried with every document.
    for html in NASTY if codec == "utf-8" else NASTY[::3]:
        body = html.encode(codec, "replace")
        out, inserter = served(body, REMOVES_ITSELF, kind.partition("charset=")[2] or None)
        assert show(out, kind) == (show(body, kind)[0], inserter.inserted), (html, inserter.unfit)
        assert inserter.inserted or inserter.unfit in (Unfit.BROKEN, Unfit.DECLARED_LATE), html


def test_xhtml_has_no_trace_either(show: Callable[[bytes, str], tuple[str, bool]]) -> None:
    html = (
        b'<?xml version="1.0"?>\n<!DOCTYPE html>\n<!-- c -->\n<html xmlns="http://www.w3.org/1999/xhtml">\n<head>\n'
        b"<title>x</title></head><body><p>y<br/></p></body></html>"
    )
    out, _ = served(html, XML_SCRIPT, xml=True)
    kind = "application/xhtml+xml"
    assert show(out, kind) == (show(html, kind)[0], True)
