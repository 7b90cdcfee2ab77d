"""Which commands of a client are refused, which are counted, and that reading is neither."""

from typing import Any

import pytest

from runner.external.bypasses import bypass, refusal
from tests.runner.external.conftest import Ran


@pytest.mark.parametrize(
    ("method", "params", "said"),
    [
        ("Target.createBrowserContext", {"proxyServer": "direct://"}, "a proxy of its own"),
        ("Target.createBrowserContext", {"proxyBypassList": "*"}, "a proxy of its own"),
        ("Browser.crash", {}, "ends the browser"),
        ("Emulation.setScriptExecutionDisabled", {"value": True}, "switches off"),
        ("Target.exposeDevToolsProtocol", {}, "pages would control"),
        ("Tethering.bind", {"port": 1}, "opens a port"),
        ("Page.navigate", {"url": "file:///etc/passwd"}, "no files"),
        ("Page.navigate", {"url": " FILE:///etc/passwd"}, "no files"),
        ("Target.createTarget", {"url": "file:///etc/passwd"}, "no files"),
        ("Page.navigate", {"url": "view-source:file:///etc/passwd"}, "no files"),
        ("Page.navigate", {"url": "chrome://settings"}, "no files"),
    ],
)
def test_what_is_refused(method: str, params: dict[str, Any], said: str) -> None:
    assert said in refusal(method, params)


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("Target.createBrowserContext", {}),
        ("Emulation.setScriptExecutionDisabled", {"value": False}),
        ("Page.navigate", {"url": "http://shop.test/"}),
        ("Page.navigate", {"url": "http://["}),
        ("Target.createTarget", {"url": "about:blank"}),
        ("Page.navigate", {}),
    ],
)
def test_what_is_not(method: str, params: dict[str, Any]) -> None:
    assert refusal(method, params) == ""
    assert bypass(method, params) == ""


@pytest.mark.parametrize(
    ("method", "params", "said"),
    [
        ("Fetch.fulfillRequest", {}, "Fetch.fulfillRequest"),
        (
            "Fetch.continueRequest",
            {"requestId": "1", "url": "http://x.test/"},
            "Fetch.continueRequest with another url",
        ),
        ("Network.setCookies", {"cookies": []}, "Network.setCookies"),
        ("DOM.setOuterHTML", {}, "DOM.setOuterHTML"),
        ("DOMStorage.setDOMStorageItem", {}, "DOMStorage.setDOMStorageItem"),
        ("Network.setBlockedURLs", {"urls": ["*.js"]}, "Network.setBlockedURLs"),
    ],
)
def test_what_is_counted(method: str, params: dict[str, Any], said: str) -> None:
    assert refusal(method, params) == ""
    assert bypass(method, params) == said


def commands(script: str) -> list[tuple[str, dict[str, Any]]]:
    """Return the ways in which clients send a script."""
    utility = "(utilityScript, ...args) => utilityScript.evaluate(...args)"
    return [
        ("Runtime.evaluate", {"expression": script}),
        ("Runtime.callFunctionOn", {"functionDeclaration": script}),
        ("Runtime.callFunctionOn", {"functionDeclaration": utility, "arguments": [{"value": True}, {"value": script}]}),
        ("Page.addScriptToEvaluateOnNewDocument", {"source": script}),
    ]


@pytest.mark.parametrize(
    "script",
    [
        "() => localStorage.setItem('a', 'b')",
        "sessionStorage['a'] = 'b'",
        "document.cookie = 'a=b'",
        "() => fetch('/cart', {method: 'POST'})",
        "(e) => e.innerHTML = ''",
        "(e) => { e.value = 'x' }",
        "() => document.querySelector('dialog').remove()",
        "(form) => form.submit()",
        "location.href = '/x'",
        "() => history.pushState({}, '', '/x')",
        "(e) => e.removeAttribute('disabled')",
        "(e) => { e.removeAttribute('disabled'); e.dispatchEvent(new Event('input')) }",
        "() => { document.querySelector('dialog').remove(); document.dispatchEvent(new Event('input')) }",
    ],
)
def test_a_script_that_changes_something_is_counted(script: str) -> None:
    for command in commands(script):
        assert bypass(*command).startswith("a script that changes page or storage: ")


@pytest.mark.parametrize(
    "script",
    [
        "() => document.title",
        "() => localStorage.getItem('a') === null",
        "() => document.cookie",
        "() => [...document.querySelectorAll('a')].map((e) => e.innerHTML + e.value)",
        "(e) => e.value == 'x' && e.checked === true",
        "(e) => e.click()",
        "(e) => e.scrollIntoView()",
        "(e) => { e.value = 'x'; e.dispatchEvent(new Event('input', {bubbles: true})) }",
        "() => ({ url: location.href, size: innerWidth })",
        "(e) => e.getBoundingClientRect()",
        "() => { const copy = document.body.cloneNode(true); copy.querySelector('script').remove(); return copy.innerHTML }",
    ],
)
def test_a_script_that_only_reads_clicks_or_enters_is_none(script: str) -> None:
    assert [bypass(*command) for command in commands(script)] == [""] * 4


def test_the_library_of_a_client_is_none() -> None:
    assert bypass("Runtime.evaluate", {"expression": "e.value = 1;" + " " * 20_000}) == ""


@pytest.mark.parametrize("label", ["sham"])
def test_an_episode_has_them_in_its_ledger(ran: Ran, label: str) -> None:
    """A client's own way of reading, filling and clicking is none."""
    body = """
session = page.context.new_cdp_session(page)
try:
    session.send("Page.navigate", {"url": "file:///etc/passwd"})
except Exception as error:
    refused = "stressweb refuses" in str(error)
page.evaluate("() => [document.title, document.body.innerText.length, localStorage.length]")
page.get_by_role("searchbox").first.fill("Orchid")
page.get_by_role("searchbox").first.press("Enter")
page.wait_for_load_state()
page.locator("a").all_inner_texts()
page.screenshot()
page.evaluate("() => localStorage.setItem('a', 'b')")
page.evaluate("() => document.querySelector('h1, h2').remove()")
finish(message=str(refused))
"""
    record = ran(body, label)
    assert (record.status, record.message) == ("done", "True")
    bypasses = [entry.detail for entry in record.ledger if entry.phase == "bypass"]
    assert bypasses == [
        "Page.navigate: an episode has the pages of its sites, and no files",
        "a script that changes page or storage: localStorage.setItem",
        "a script that changes page or storage: .remove(",
    ]
