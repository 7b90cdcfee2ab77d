"""Commands of a client that are refused or counted as bypasses; reading is neither."""

from typing import Any

import pytest

from stressweb.runner.external.bypasses import disturbance_bypass, refusal
from tests.support.programs import Ran


@pytest.mark.parametrize(
    ("method", "params", "reason"),
    [
        ("Target.createBrowserContext", {"proxyServer": "direct://"}, "its own proxy"),
        ("Target.createBrowserContext", {"proxyBypassList": "*"}, "its own proxy"),
        ("Browser.crash", {}, "would end the"),
        ("Emulation.setScriptExecutionDisabled", {"value": True}, "would switch off"),
        ("Target.exposeDevToolsProtocol", {}, "pages could control"),
        ("Tethering.bind", {"port": 1}, "would open a port"),
        ("Page.navigate", {"url": "file:///etc/passwd"}, "no local files"),
        ("Page.navigate", {"url": " FILE:///etc/passwd"}, "no local files"),
        ("Target.createTarget", {"url": "file:///etc/passwd"}, "no local files"),
        ("Page.navigate", {"url": "view-source:file:///etc/passwd"}, "no local files"),
        ("Page.navigate", {"url": "chrome://settings"}, "no local files"),
    ],
)
def test_refused_commands(method: str, params: dict[str, Any], reason: str) -> None:
    assert reason in refusal(method, params)


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
def test_allowed_commands(method: str, params: dict[str, Any]) -> None:
    assert refusal(method, params) == ""
    assert disturbance_bypass(method, params) == ""


@pytest.mark.parametrize(
    ("method", "params", "entry"),
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
def test_commands_counted_as_bypasses(method: str, params: dict[str, Any], entry: str) -> None:
    assert refusal(method, params) == ""
    assert disturbance_bypass(method, params) == entry


@pytest.mark.parametrize("label", ["sham"])
def test_an_episode_has_them_in_its_ledger(ran: Ran, label: str) -> None:
    """Reading, filling and clicking by a client are no bypasses."""
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
        "Page.navigate: an episode may open web pages only, no local files",
        "a script changed the page: storage",
        "a script changed the page: content of <main>",
    ]
