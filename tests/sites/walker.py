"""A walker that drives a site by its forms and links, as a browser would; of scripts it knows the lists from a feed."""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import urljoin

import lxml.html
from lxml.html import HtmlElement
from werkzeug.datastructures import MultiDict
from werkzeug.test import Client, TestResponse

from stressweb.html.accessible_name import Names, role
from stressweb.plugins.database import Snapshot, TableChange
from stressweb.plugins.query import Run, State
from stressweb.plugins.site import DATABASE, SiteWorld
from stressweb.plugins.task import Goal, Step

ROLES = {
    "open": ("link",), "press": ("button",), "enter": ("textbox", "searchbox", "spinbutton"), "choose": ("combobox",),
    "tick": ("checkbox",), "untick": ("checkbox",),
}  # fmt: skip


class LostError(Exception):
    """A step whose target is not on the page, or is there more than once."""


class Walker:
    """One episode in which every step takes effect."""

    def __init__(self, world: SiteWorld) -> None:
        self.world = world
        self.database = sqlite3.connect(":memory:", check_same_thread=False)
        self.database.deserialize(world.template)
        self.client = Client(world.app)
        self._seen: list[tuple[str, str]] = []
        self.get("/")

    def get(self, path: str) -> TestResponse:
        return self._arrive(self.fetch(path))

    def fetch(self, path: str) -> TestResponse:
        return self.client.get(path, base_url=f"http://{self.world.host}/", environ_base=self._environ())

    def post(self, path: str, data: Mapping[str, Any]) -> TestResponse:
        answer = self.client.post(path, base_url=f"http://{self.world.host}/", data=data, environ_base=self._environ())
        assert answer.status_code == 303, (path, answer.status_code)
        return self.get(answer.headers["Location"])

    def _environ(self) -> dict[str, object]:
        return {DATABASE: self.database}

    def _arrive(self, answer: TestResponse) -> TestResponse:
        if answer.status_code == 303:
            return self.get(answer.headers["Location"])
        self.status = answer.status_code
        self.url = answer.request.full_path if "?" in answer.request.url else answer.request.path
        self.html = answer.get_data(as_text=True)
        self.page = lxml.html.document_fromstring(self.html)
        for holder in self.page.xpath("//*[@data-feed]"):
            holder.extend(_drawn(self.fetch(holder.get("data-feed")).get_json()))
        self._read()
        return answer

    def _read(self) -> None:
        self._seen.append((self.url, lxml.html.tostring(self.page, encoding="unicode")))

    def find(self, step: Step) -> HtmlElement:
        names = Names(self.page)
        found = [
            element
            for element in self.page.iter()
            if isinstance(element.tag, str) and role(element) in ROLES[step.verb] and names.name(element) == step.target
            and (step.on is None or step.on in _items(element, names))
        ]  # fmt: skip
        where = {element.get("href") for element in found}
        if not found or (len(found) > 1 and (step.verb != "open" or len(where) > 1)):
            raise LostError(f"{step} is {len(found)} times on {self.url}")
        return found[0]

    def do(self, step: Step) -> None:
        element = self.find(step)
        if step.verb == "open":
            self.get(urljoin(self.url, element.get("href")))
        elif step.verb == "press" and (element.tag == "summary" or element.get("type") == "button"):
            # It opens something that is on the page already, as a script or the browser does: the site is not asked.
            self._read()
        elif step.verb == "press":
            self._submit(next(element.iterancestors("form")), element)
        else:
            self._fill(element, step)
            self._read()

    def _fill(self, element: HtmlElement, step: Step) -> None:
        if step.verb == "choose":
            options = [option for option in element.iter("option") if option.text_content().strip() == step.value]
            if len(options) != 1:
                raise LostError(f"{step}: {len(options)} options")
            assert options[0].get("selected") is None, f"{step} chooses what is chosen"
            for option in element.iter("option"):
                option.attrib.pop("selected", None)
            options[0].set("selected", "")
        elif step.verb == "enter":
            assert (element.text if element.tag == "textarea" else element.get("value")) != step.value, step
            if element.tag == "textarea":
                element.text = step.value
            else:
                element.set("value", step.value or "")
        else:
            assert (element.get("checked") is None) == (step.verb == "tick"), step
            element.attrib.pop("checked", None) if step.verb == "untick" else element.set("checked", "")

    def _submit(self, form: HtmlElement, button: HtmlElement) -> None:
        data = MultiDict([(name, value or "") for name, value in form.form_values()])
        if button.get("name"):
            data.add(button.get("name"), button.get("value") or "")
        action = urljoin(self.url, button.get("formaction") or form.get("action") or "")
        if form.get("method") == "get":
            answer = self.client.get(
                action, query_string=data, base_url=f"http://{self.world.host}/", environ_base=self._environ()
            )
            self._arrive(answer)
        else:
            self.post(action, data)

    def walk(self, steps: tuple[Step, ...]) -> "Walker":
        for step in steps:
            self.do(step)
        return self

    def stumble(self, steps: tuple[Step, ...]) -> "Walker":
        """Walk on past every step that cannot be done, as a script that does not look."""
        for step in steps:
            try:
                self.do(step)
            except (LostError, AssertionError):
                continue
        return self

    def run(self, goal: Goal) -> Run:
        """Read the evidence and return the episode."""
        changes = self.changes()
        owner = goal.owner(changes)
        closings = {state.url: state for state in self.evidence(goal.evidence, owner)}
        # A page that was seen twice is read once.
        states = {seen: State(*seen, b"") for seen in dict.fromkeys(self._seen)}
        return Run([states[seen] for seen in self._seen], closings, changes)

    def changes(self) -> dict[str, TableChange]:
        """Return how the database differs from the start."""
        return self.world.initial.changes_to(Snapshot.read(self.database))

    def evidence(self, paths: Iterable[str], owner: str) -> Iterator[State]:
        """Read pages as `owner` sees them in a copy of the database."""
        copy = sqlite3.connect(":memory:", check_same_thread=False)
        copy.deserialize(self.database.serialize())
        reader = Client(self.world.app)
        for name, value in self.world.sign_in(copy, owner).items():
            reader.set_cookie(name, value, domain=self.world.host)
        base = f"http://{self.world.host}/"
        for path in paths:
            answer = reader.get(path, base_url=base, environ_base={DATABASE: copy})
            while answer.status_code == 303:
                answer = reader.get(answer.headers["Location"], base_url=base, environ_base={DATABASE: copy})
            yield State(path, answer.get_data(as_text=True), b"")
        copy.close()


def _drawn(feed: dict[str, Any]) -> list[HtmlElement]:
    """Return what the script of a list makes of its feed."""
    made = []
    for told in (told for group in feed["groups"] for told in group["items"]):
        item = lxml.html.Element("article", itemscope="", itemtype=f"https://schema.org/{told['type']}")
        for part in told["parts"]:
            holder = lxml.html.Element("a", href=part["href"]) if "href" in part else item
            if holder is not item:
                item.append(holder)
            node = lxml.html.Element("time" if "value" in part else "span", itemprop=part["prop"])
            if "value" in part:
                node.set("datetime", part["value"])
            node.text = part["text"]
            holder.append(node)
        made.append(item)
    return made


def _items(element: HtmlElement, names: Names) -> set[str]:
    scopes = [above for above in element.iterancestors() if above.get("itemscope") is not None]
    return {names.text(prop) for scope in scopes for prop in scope.xpath("descendant::*[@itemprop='name']")[:1]}
