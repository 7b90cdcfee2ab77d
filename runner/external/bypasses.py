"""Commands of the DevTools protocol that get past the disturbances: refused where that can be, else counted."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

type _Params = Mapping[str, Any]

_PROXIES = ("proxyServer", "proxyBypassList")
_PAGES = ("", "about", "blob", "data", "http", "https", "javascript")
"""Schemes of addresses that lead to no file and to no page of the browser's own."""
_REFUSED: Mapping[str, str] = {
    **dict.fromkeys(("Browser.crash", "Browser.crashGpuProcess", "Page.crash"), "it ends the browser of the episode"),
    "Target.exposeDevToolsProtocol": "pages would control the browser",
    "Tethering.bind": "it opens a port",
}
_COUNTED = frozenset({
    "CSS.addRule", "CSS.setStyleSheetText", "CSS.setStyleTexts",
    "DOM.copyTo", "DOM.moveTo", "DOM.removeAttribute", "DOM.removeNode", "DOM.setAttributeValue",
    "DOM.setAttributesAsText", "DOM.setNodeName", "DOM.setNodeValue", "DOM.setOuterHTML",
    "DOMStorage.clear", "DOMStorage.removeDOMStorageItem", "DOMStorage.setDOMStorageItem",
    "Debugger.setScriptSource",
    "Fetch.failRequest", "Fetch.fulfillRequest",
    "IndexedDB.clearObjectStore", "IndexedDB.deleteDatabase", "IndexedDB.deleteObjectStoreEntries",
    "Network.clearBrowserCookies", "Network.deleteCookies", "Network.loadNetworkResource", "Network.setCookie",
    "Network.setCookies",
    "Page.setDocumentContent",
    "Storage.clearCookies", "Storage.clearDataForOrigin", "Storage.setCookies",
})  # fmt: skip
"""Commands that change a page, what the browser keeps of a site, or what a site answers."""
_CHANGED = ("url", "method", "postData")


def refusal(method: str, params: _Params) -> str:
    """Return why a command is refused; empty if it is not."""
    if method == "Target.createBrowserContext" and any(params.get(name) for name in _PROXIES):
        return "a context with a proxy of its own would go past the episode's"
    if method == "Emulation.setScriptExecutionDisabled" and params.get("value"):
        return "it switches off what disturbs a page"
    if method in ("Page.navigate", "Target.createTarget") and _scheme(params) not in _PAGES:
        return "an episode has the pages of its sites, and no files"
    return _REFUSED.get(method, "")


def bypass(method: str, params: _Params) -> str:
    """Return which way past the disturbances a command takes, in a few words; empty if it takes none."""
    if method in _COUNTED:
        return method
    if method == "Fetch.continueRequest" and (changed := [name for name in _CHANGED if params.get(name) is not None]):
        return f"{method} with another {', '.join(changed)}"
    if method == "Network.setBlockedURLs" and (params.get("urls") or params.get("urlPatterns")):
        return method
    return ""


def _scheme(params: _Params) -> str:
    try:
        return urlsplit(str(params.get("url") or "").strip()).scheme.lower()
    except ValueError:
        return ""
