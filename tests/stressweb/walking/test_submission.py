"""A form's data without a browser are those that a browser sends."""

from collections.abc import Iterator
from urllib.parse import parse_qsl

import lxml.html
import pytest
from lxml.html import FormElement
from playwright.sync_api import Browser, Page, Request, Route

from stressweb.walking.submission import submission

FIELDS = (
    '<input name="empty">',
    '<input name="blank" value="">',
    '<input name="filled" value="a b">',
    '<input value="without a name">',
    '<input name="off" value="1" disabled>',
    '<input name="secret" type="hidden" value="x">',
    '<input name="number" type="number">',
    '<input name="box" type="checkbox"><input name="box" type="checkbox" value="2" checked>',
    '<input name="tick" type="checkbox" checked>',
    '<input name="way" type="radio" value="1"><input name="way" type="radio" value="2" checked>',
    '<textarea name="text"></textarea>',
    '<textarea name="words">one two</textarea>',
    '<select name="size"><option>S</option><option>M</option></select>',
    '<select name="taste"><option value="1">Sweet</option><option value="2" selected>Sour</option></select>',
    '<select name="days" multiple><option selected>Mon</option><option>Tue</option><option selected>Wed</option></select>',
    '<button name="press" value="1" type="button">Press</button>',
    '<input type="button" name="push" value="Push">',
)


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context()
    yield context.new_page()
    context.close()


@pytest.mark.parametrize("fields", [*FIELDS, "".join(FIELDS)])
def test_it_is_what_a_browser_sends(page: Page, fields: str) -> None:
    html = f'<form method="post" action="/send">{fields}<button>Send</button></form>'
    sent: list[Request] = []

    def answer(route: Route) -> None:
        if route.request.method == "POST":
            sent.append(route.request)
        route.fulfill(body=html, content_type="text/html")

    page.route("**/*", answer)
    page.goto("http://form.test/")
    page.get_by_role("button", name="Send").click()
    pairs = parse_qsl(sent[0].post_data or "", keep_blank_values=True)
    form = lxml.html.fragment_fromstring(html)
    assert isinstance(form, FormElement)
    assert submission(form) == pairs
