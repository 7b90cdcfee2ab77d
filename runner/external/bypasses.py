"""DevTools protocol commands that bypass the disturbances: refused where possible, otherwise counted."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

type _Params = Mapping[str, Any]

_PROXIES = ("proxyServer", "proxyBypassList")
_PAGES = ("", "about", "blob", "data", "http", "https", "javascript")
"""URL schemes that open neither a local file nor one of the browser's internal pages."""
_REFUSED: Mapping[str, str] = {
    **dict.fromkeys(("Browser.crash", "Browser.crashGpuProcess", "Page.crash"), "it would end the episode's browser"),
    "Target.exposeDevToolsProtocol": "pages could control the browser",
    "Tethering.bind": "it would open a port",
}
_BYPASSING_METHODS = frozenset({
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
"""Commands that change a page, the data that the browser stores for a site, or a site's responses."""
_REQUEST_FIELDS = ("url", "method", "postData")


def refusal(method: str, params: _Params) -> str:
    """Return why a command is refused, or an empty string if it is allowed."""
    if method == "Target.createBrowserContext" and any(params.get(name) for name in _PROXIES):
        return "a context with its own proxy would bypass the episode's proxy"
    if method == "Emulation.setScriptExecutionDisabled" and params.get("value"):
        return "it would switch off the script that disturbs the page"
    if method in ("Page.navigate", "Target.createTarget") and _scheme(params) not in _PAGES:
        return "an episode may open web pages only, no local files"
    return _REFUSED.get(method, "")


def disturbance_bypass(method: str, params: _Params) -> str:
    """Describe in a few words how a command bypasses the disturbances; return an empty string if it does not."""
    if method in _BYPASSING_METHODS:
        return method
    if method == "Fetch.continueRequest" and (
        changed_fields := [name for name in _REQUEST_FIELDS if params.get(name) is not None]
    ):
        return f"{method} with another {', '.join(changed_fields)}"
    if method == "Network.setBlockedURLs" and (params.get("urls") or params.get("urlPatterns")):
        return method
    return ""


def _scheme(params: _Params) -> str:
    try:
        return urlsplit(str(params.get("url") or "").strip()).scheme.lower()
    except ValueError:
        return ""
