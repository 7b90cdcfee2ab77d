"""Scripts of a client that change a page, storage or address are detected, however written; others never are."""

import asyncio
import json
from collections.abc import Collection, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, NamedTuple, Self

import pytest

from stressweb.core.browser_program import find_browser
from stressweb.runner.external.pipe_browser import PipeBrowser
from stressweb.runner.external.relay import Relay
from stressweb.runner.external.script_effects import ScriptEffects
from stressweb.runner.external.session import Session
from tests.support.own_loop import run_in_thread

PAGE = """<!DOCTYPE html><title>A page</title>
<style>[data-shade] { color: red } #bar { height: 2px }</style>
<div id="bar"></div><img src="/logo.svg"><p id="text">Some words</p><ul id="list"><li>one</li><li>two</li></ul><dialog id="offer" open>Offer</dialog>
<form id="form" action="/sent" method="post"><input id="field" name="a"><input id="box" name="b" type="checkbox">
<input type="radio" name="c" id="first" checked><input type="radio" name="c" id="second"><select id="choice"><option>1<option>2</select>
<button id="send">Send</button><button id="draw">Draw</button><button id="empty" type="reset">Empty</button></form>
<button id="plain" disabled>Plain</button><button id="press">Press</button><button id="stop">Stop</button>
<a id="link" href="#there">There</a><a id="away" href="/away">Away</a><div id="host"></div>
<details><summary id="more">More</summary>Details</details>
<script>
  const inner = host.attachShadow({ mode: "open" });
  inner.innerHTML = "<input id=inner><p>Inside</p><form><button>Go</button></form>";
  inner.addEventListener("submit", (event) => { event.preventDefault(); bar.lang = "it" });
  window.basket = { count: 0, add() { this.count += 1; text.textContent = `${this.count} in the basket` } };
  press.onclick = () => {
    basket.add();
    localStorage.setItem("pressed", "yes");
    setTimeout(() => fetch("/pressed"), 5);
    setTimeout("bar.title = 'later'", 5);
  };
  stop.onclick = (event) => { event.stopPropagation(); text.textContent = "Stopped" };
  field.addEventListener("input", () => { text.textContent = field.value; box.checked = field.value === "all" });
  addEventListener("click", () => (bar.lang = bar.lang === "en" ? "de" : "en"));
  const onSubmit = (event) => {
    if (event.submitter === draw) bar.setAttribute("aria-busy", "true");
    if (event.submitter === draw) event.preventDefault();
  };
  addEventListener("submit", onSubmit);
  field.onfocus = () => bar.classList.add("focused");
  let moves = 0;
  setInterval(() => { bar.style.width = `${(moves += 1) % 100}px`; eval("bar.dataset.moves = moves") }, 10);
  setInterval(() => (text.dataset.known ? (bar.hidden = true) : null), 1000);
  form.onsubmit = (event) => { if (!event.submitter) event.preventDefault() };
</script>"""

CHANGES = {
    "plainly": "text.innerHTML = 'x'",
    "by another name": "const t = text; const key = 'inner' + 'HTML'; t[key] = 'x'",
    "by eval": "eval('text.inner' + 'HTML = 1')",
    "by a function of text": "new Function('text.textContent = 1')()",
    "by a text in a timer": "setTimeout('text.textContent = 1')",
    "by Object.assign": "Object.assign(text, { innerHTML: 'x' })",
    "by Reflect.set": "Reflect.set(text, 'textContent', 'x')",
    "by a setter of the prototype": "Object.getOwnPropertyDescriptor(Node.prototype, 'textContent').set.call(text, 'x')",
    "by toggleAttribute": "plain.toggleAttribute('disabled')",
    "by an attribute's node": "plain.attributes.removeNamedItem('disabled')",
    "by a property": "plain.disabled = false",
    "by classList": "text.classList.add('big')",
    "by style": "offer.style.display = 'none'",
    "by dataset, which styles name": "text.dataset.shade = '1'",
    "by dataset, which scripts name": "text.dataset.known = '1'",
    "by append": "list.append(list.firstChild)",
    "by before": "text.before('x')",
    "by replaceChildren": "list.replaceChildren()",
    "by insertAdjacentHTML": "text.insertAdjacentHTML('beforeend', '<b>x</b>')",
    "by a range": "{ const r = new Range(); r.selectNodeContents(list); r.deleteContents() }",
    "by a text's data": "text.firstChild.data = 'x'",
    "by splitText": "text.firstChild.splitText(3).remove()",
    "by execCommand": "text.contentEditable = 'true'; text.focus(); document.execCommand('insertText', false, 'x')",
    "by document.write": "document.open(); document.write('x'); document.close()",
    "by a script element": "document.body.append(Object.assign(document.createElement('script'), { text: '1' }))",
    "by a shadow root": "host.shadowRoot.querySelector('p').remove()",
    "by the dialog's own method": "offer.close()",
    "by the title": "document.title = 'x'",
    "after a moment": "setTimeout(() => text.remove(), 20)",
    "after a promise": "Promise.resolve().then(() => text.remove())",
    "in an async function": "(async () => { await null; await 0; offer.remove() })()",
    "by a bound method": "Promise.resolve().then(offer.remove.bind(offer))",
    "in a frame": "requestAnimationFrame(() => offer.remove())",
    "by the page's own function": "basket.add()",
    "by an event of no user": "document.addEventListener('x', () => text.remove()); document.dispatchEvent(new Event('x'))",
    "before a click": "text.textContent = 'x'; press.click()",
    "after a click": "press.click(); offer.remove()",
    "between two clicks": "press.click(); offer.remove(); press.click()",
    "and back after a click": "plain.disabled = false; plain.click(); plain.disabled = true",
    "in a listener": "link.addEventListener('click', () => offer.remove()); link.click()",
    "in a listener that comes first": "addEventListener('click', () => offer.remove(), true); press.click()",
    "with a false address": "offer.remove()\n//# sourceURL=http://127.0.0.1/app.js",
    "by a value": "field.value = 'x'",
    "by a value, and a click": "field.value = 'x'; press.click()",
    "by a value, after a click": "press.click(); field.value = 'x'",
    "by a value, and an event of another": "field.value = 'x'; choice.dispatchEvent(new Event('change', { bubbles: true }))",
    "by checked": "box.checked = true",
    "by selectedIndex": "choice.selectedIndex = 1",
    "by a value in a shadow root": "host.shadowRoot.querySelector('input').value = 'x'",
    "by form.reset with nothing to reset, and a value": "field.setRangeText('x')",
    "by storage": "localStorage.setItem('a', 'b')",
    "by storage as an object": "sessionStorage['a'] = 'b'",
    "by a cookie": "document['coo' + 'kie'] = 'a=b'",
    "by a style sheet": "document.styleSheets[0].insertRule('dialog { display: none }')",
    "by an adopted style sheet": "document.adoptedStyleSheets = [new CSSStyleSheet()]",
    "by fetch": "fetch('/x', { method: 'POST' })",
    "by fetch of another name": "const send = self['fet' + 'ch']; setTimeout(() => send('/x'))",
    "by XMLHttpRequest": "{ const x = new XMLHttpRequest(); x.open('GET', '/x'); x.send() }",
    "by a beacon": "navigator.sendBeacon('/x')",
    "by a picture": "new Image().src = '/x'",
    "by a web socket": "new WebSocket(`ws://${location.host}/x`)",
    "by the address": "location = '/x'",
    "by the address, later": "setTimeout(() => location.assign('/x'))",
    "by the fragment": "location.hash = 'x'",
    "by the history": "history.pushState({}, '', '/x')",
    "by form.submit": "form.submit()",
    "by form.submit of another name": "HTMLFormElement.prototype.submit.call(form)",
}

NO_CHANGES = {
    "reading": "[document.title, document.body.innerHTML, document.cookie, localStorage.length, field.value].join()",
    "measuring": "Array.from(document.querySelectorAll('*'), (e) => [e.getBoundingClientRect(), getComputedStyle(e).color])",
    "tidying a copy": "{ const c = document.body.cloneNode(true); c.querySelector('script').remove(); c.innerHTML }",
    "parsing": "new DOMParser().parseFromString('<p>x</p>', 'text/html').body.firstChild.remove()",
    "a form's data": "[...new FormData(form)].length",
    "comparing": "field.value == 'x' && box.checked === true",
    "clicking": "press.click()",
    "clicking where the page stops the event": "stop.click()",
    "clicking a link": "link.click()",
    "clicking a link to a page": "away.click()",
    "clicking a box": "box.click()",
    "opening what is closed, then clicking": "more.click(); press.click()",
    "clicking a radio": "second.click()",
    "sending a form": "send.click()",
    "sending a form by request": "form.requestSubmit(send)",
    "sending a form that a script draws the answer of": "draw.click()",
    "sending a form in a shadow root": "host.shadowRoot.querySelector('button').click()",
    "emptying a form": "empty.click()",
    "a click as an event": "press.dispatchEvent(new MouseEvent('click', { bubbles: true }))",
    "entering": "field.value = 'all'; field.dispatchEvent(new Event('input', { bubbles: true }))",
    "entering without a bubble": "field.value = 'all'; field.dispatchEvent(new Event('change'))",
    "entering as frameworks need it": "{ const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set;"
    " set.call(field, 'x'); field.dispatchEvent(new InputEvent('input', { bubbles: true })) }",
    "entering, then clicking": "field.value = 'x'; field.dispatchEvent(new Event('input', { bubbles: true })); press.click()",
    "choosing": "choice.value = '2'; choice.dispatchEvent(new Event('change', { bubbles: true }))",
    "choosing a radio": "second.checked = true; second.dispatchEvent(new Event('change', { bubbles: true }))",
    "entering in a shadow root": "{ const f = host.shadowRoot.querySelector('input'); f.value = 'x';"
    " f.dispatchEvent(new Event('change', { bubbles: true })) }",
    "scrolling": "text.scrollIntoView(); scrollTo(0, 100)",
    "focusing": "field.focus(); field.select()",
    "marking with an attribute that nobody knows": "document.querySelectorAll('*').forEach((e, i) => e.setAttribute('bid', i))",
    "marking with a data attribute": "text.dataset.reader = '1'",
    "marking and tidying up": "text.setAttribute('aria-description', 'x'); text.removeAttribute('aria-description')",
    "marking and tidying up later": "text.id = 'x'; setTimeout(() => (document.getElementById('x').id = 'text'), 20)",
    "a style that is unset": "text.style.color = 'red'; setTimeout(() => text.style.removeProperty('color'), 20)",
    "a style for a picture": "{ const s = document.createElement('style'); s.textContent = '* { caret-color: red }';"
    " document.head.append(s); setTimeout(() => s.remove(), 20) }",
    "a frame around an element": "document.body.insertAdjacentHTML('beforeend',"
    " '<div style=\"position: fixed; inset: 0; pointer-events: none\"><b>1</b></div>')",
    "listening": "addEventListener('click', () => {}); press.click()",
    "waiting": "new Promise((done) => setTimeout(done, 30))",
}


class Client:
    """A client of a browser, with a page, behind the relay."""

    def __init__(self, browser: PipeBrowser, ours: Session) -> None:
        self.notes: list[str] = []
        self.texts: list[str] = []
        self.effects = ScriptEffects(ours, "recorder", self.notes.append)
        self._relay = Relay(browser, self, self.hear)
        self._number = 0
        self._answers: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._session = ""

    @classmethod
    async def of(cls, browser: PipeBrowser, *, watched: bool = True) -> Self:
        ours = await Session.of(browser)
        client = cls(browser, ours)
        # Each client has its own context, so they share no storage.
        context = (await ours.ask(ours.root, "Target.createBrowserContext"))["browserContextId"]
        blank = {"url": "about:blank", "browserContextId": context}
        target = (await ours.ask(ours.root, "Target.createTarget", **blank))["targetId"]
        session = (await ours.ask(ours.root, "Target.attachToTarget", targetId=target, flatten=True))["sessionId"]
        for method, params in (
            [("Page.enable", {}), ("Runtime.enable", {}), *client.effects.attach(session, target)] if watched else ()
        ):
            await ours.ask(session, method, **params)
        await client._relay.open()
        client._session = (await client.ask("Target.attachToTarget", targetId=target, flatten=True))["sessionId"]
        for method in ("Page.enable", "Runtime.enable", "Console.enable"):
            await client.ask(method)
        return client

    def hear(self, text: str) -> None:
        self.texts.append(text)
        message = json.loads(text)
        if answer := self._answers.pop(message.get("id"), None):
            answer.set_result(message)

    async def ask(self, method: str, **params: object) -> Any:
        self._number += 1
        answer = self._answers[self._number] = asyncio.get_running_loop().create_future()
        message = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        await self._relay.take(json.dumps(message))
        reply = await answer
        assert "error" not in reply, reply
        return reply["result"]

    async def open(self, url: str) -> None:
        await self.ask("Page.navigate", url=url)
        state = ""
        while state != f"complete{url}":
            await asyncio.sleep(0.01)
            answer = await self.ask("Runtime.evaluate", expression="document.readyState + document.URL")
            state = answer["result"]["value"]
        await self.effects.note_clients_changes()
        self.notes.clear()

    async def sees(self, url: str) -> object:
        """Return everything that a page can see of its watchers."""
        await self.open(url)
        return (await self.ask("Runtime.evaluate", expression=SIGHT, returnByValue=True))["result"]["value"]

    # Callbacks of the relay.

    async def navigating(self, target: str, kind: str, url: str = "") -> None: ...

    def arrived(self, target: str) -> None: ...

    async def settled(self, target: str) -> None: ...

    def bypassed(self, what: str) -> None:
        self.notes.append(what)

    def crowded(self) -> str:
        return ""


class Handler(BaseHTTPRequestHandler):
    """Serves the page at every address."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.end_headers()
        self.wfile.write(PAGE.encode())

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("content-length", 0)))
        self.do_GET()

    def log_message(self, *arguments: object) -> None: ...


async def notes_about(client: Client, url: str, script: str) -> list[str]:
    """Return the notes about a script on a new page."""
    await client.open(url)
    await client.ask("Runtime.evaluate", expression=script, awaitPromise=True)
    await asyncio.sleep(0.1)
    await client.effects.note_clients_changes()
    return list(client.notes)


SIGHT = """(() => {
  const names = (object) => Reflect.ownKeys(object).map(String);
  return [...names(globalThis), ...names(document), ...names(console), String(console.trace), document.all.length];
})()"""
"""Script that collects everything a page can see of its watchers."""


class Outcome(NamedTuple):
    """Outcome of all scripts."""

    notes: dict[str, list[str]]
    """Notes about each script."""
    texts: list[str]
    """Messages to the clients."""
    sights: tuple[object, object]
    """Sights of a page with and without our recording."""


async def run_scripts(url: str, chosen: Collection[str]) -> Outcome:
    """Run the chosen scripts, and return the outcome."""
    browser = await PipeBrowser.launch(find_browser().path, "direct://")
    ways = [(way, script) for way, script in (CHANGES | NO_CHANGES).items() if way in chosen]
    notes = dict[str, list[str]]()

    async def try_all(client: Client) -> None:
        while ways:
            way, script = ways.pop()
            notes[way] = await notes_about(client, url, script)

    try:
        clients = [await Client.of(browser) for _ in range(4)]
        await asyncio.gather(*map(try_all, clients))
        alone = await Client.of(browser, watched=False)
        sights = await clients[0].sees(url), await alone.sees(url)
    finally:
        await browser.close()
    return Outcome(notes, [text for client in clients for text in client.texts], sights)


@pytest.fixture(scope="module")
def outcome(chosen_params: set[Any]) -> Iterator[Outcome]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield run_in_thread(run_scripts(f"http://127.0.0.1:{server.server_address[1]}/", chosen_params))
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.sample(6)
@pytest.mark.parametrize("way", CHANGES)
def test_scripts_with_effects_are_detected(outcome: Outcome, way: str) -> None:
    assert outcome.notes[way] != []


@pytest.mark.sample(12)
@pytest.mark.parametrize("way", NO_CHANGES)
def test_scripts_without_effects_are_not_detected(outcome: Outcome, way: str) -> None:
    assert outcome.notes[way] == []


def test_a_client_does_not_notice_the_detection(outcome: Outcome) -> None:
    methods = {json.loads(text).get("method") for text in outcome.texts}
    assert "Runtime.executionContextCreated" in methods
    assert methods.isdisjoint({"Runtime.consoleAPICalled", "Console.messageAdded"})


def test_a_page_does_not_notice_the_detection(outcome: Outcome) -> None:
    watched, unwatched = outcome.sights
    assert watched == unwatched
    assert "basket" in str(watched)
