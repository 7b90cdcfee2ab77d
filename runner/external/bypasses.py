"""Commands of the DevTools protocol that get past the disturbances: refused where that can be, else counted."""

import re
from collections.abc import Iterator, Mapping
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
_LONGEST_SCRIPT = 20_000
"""Characters of a script that is looked at. The libraries of clients are longer; what they do passes through events."""
_PLAYWRIGHTS = "__pw"
"""What stands in short scripts of Playwright's own: to take a picture it hides the caret."""
_CHANGES = re.compile(
    r"(?:local|session)Storage\s*(?:\.\s*(?:setItem|removeItem|clear)\b|\.\w+\s*=[^=]|\[[^\]]+\]\s*=[^=])"
    r"|document\.cookie\s*=[^=]|indexedDB\s*\.\s*(?:open|deleteDatabase)\b"
    r"|\bfetch\s*\(|\bXMLHttpRequest\b|\bsendBeacon\s*\(|\bWebSocket\s*\("
    r"|\bhistory\.(?:push|replace)State\s*\(|\blocation(?:\.href)?\s*=[^=]|\blocation\.(?:assign|replace)\s*\("
    r"|\bdocument\.write(?:ln)?\s*\(|\.submit\s*\("
)
"""What a script has that changes what the browser keeps, or speaks to a site past the page."""
_CHANGES_NODES = re.compile(
    r"\.(?:inner|outer)HTML\s*\+?=[^=]|\.(?:textContent|innerText)\s*=[^=]"
    r"|\.(?:remove|removeChild|replaceWith|replaceChildren|insertAdjacentHTML)\s*\("
    r"|\.(?:value|checked|selected|disabled|hidden|onclick|onsubmit)\s*=[^=]|\.(?:setAttribute|removeAttribute)\s*\("
)
"""What a script has that changes nodes."""
_ENTERS = re.compile(
    r"\.(?:value|checked|selected)\s*=[^=]|\bthis\.(?:innerHTML|textContent|innerText)\s*=[^=]|\bthis\.removeChild\s*\("
)
"""What a script has that fills a field. If it dispatches events besides, it enters something: the page hears of it, so
that the entry is a step and can be disturbed."""
_COPIES = re.compile(r"\b(?:cloneNode|createElement|createDocumentFragment|DOMParser|createHTMLDocument|new \w*Set)\b")
"""What a script has that changes nodes of its own: readers tidy a copy of the page."""


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
    for script in _scripts(method, params):
        if _PLAYWRIGHTS in script or len(script) > _LONGEST_SCRIPT:
            continue
        rest = _ENTERS.sub("", script) if ".dispatchEvent(" in script else script
        found = _CHANGES.search(rest) or (not _COPIES.search(rest) and _CHANGES_NODES.search(rest))
        if found:
            return f"a script that changes page or storage: {found[0].strip()}"
    return ""


def _scheme(params: _Params) -> str:
    try:
        return urlsplit(str(params.get("url") or "").strip()).scheme.lower()
    except ValueError:
        return ""


def _scripts(method: str, params: _Params) -> Iterator[str]:
    """Yield the texts of a command that the page is to run."""
    if method in ("Runtime.evaluate", "Runtime.compileScript"):
        yield str(params.get("expression") or "")
    elif method == "Page.addScriptToEvaluateOnNewDocument":
        yield str(params.get("source") or "")
    elif method == "Runtime.callFunctionOn":
        function = str(params.get("functionDeclaration") or "")
        yield function
        # Playwright hands its users' scripts to a function of its own, as texts among the arguments.
        arguments = params.get("arguments")
        if "utilityScript" in function and isinstance(arguments, list):
            values = (argument.get("value") for argument in arguments if isinstance(argument, dict))
            yield from (value for value in values if isinstance(value, str))
