"""Uses a site by its forms and links, as a browser would; of scripts it supports only lists from a feed."""

import copy
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from io import BytesIO
from typing import Any, Self
from urllib.parse import urljoin, urlsplit

import lxml.html
from lxml.html import HtmlElement
from werkzeug.datastructures import MultiDict
from werkzeug.http import parse_options_header
from werkzeug.test import Client, TestResponse

from stressweb.html.accessible_name import Names, role
from stressweb.plugins.database import Snapshot, TableChange
from stressweb.plugins.offers import Offer, apart
from stressweb.plugins.query import Run, State
from stressweb.plugins.site_world import DATABASE, SiteWorld
from stressweb.plugins.steps import Step
from stressweb.plugins.task import Goal
from stressweb.walking.documents import ACCEPT, document, parsed, recorded
from stressweb.walking.submission import submission
from stressweb.walking.xpath import elements, strings

ROLES = {
    "open": ("link",), "press": ("button",), "enter": ("textbox", "searchbox", "spinbutton"), "choose": ("combobox",),
    "tick": ("checkbox",), "untick": ("checkbox",), "upload": ("button",),
}  # fmt: skip
REDIRECTS = (302, 303)


class LostError(Exception):
    """A step that cannot be done: its target is missing or ambiguous, or already has the value."""


class BrokenError(Exception):
    """The site fails at a request, or does not redirect after a form."""


class Steps(ABC):
    """Executes steps, one after the other."""

    @abstractmethod
    def do(self, step: Step) -> None:
        """Do one step; raises LostError if it cannot be done."""

    def walk(self, steps: Iterable[Step]) -> Self:
        """Do all steps; raises LostError at the first that cannot be done."""
        for step in steps:
            self.do(step)
        return self

    def stumble(self, steps: Iterable[Step]) -> Self:
        """Skip every step that cannot be done, like a script that does not look."""
        for step in steps:
            try:
                self.do(step)
            except LostError:
                continue
        return self


class Walker(Steps):
    """One episode without a browser, in which every step takes effect."""

    url: str
    html: str
    page: HtmlElement
    status: int

    def __init__(self, world: SiteWorld, owner: str = "", offers: Iterable[Offer] = ()) -> None:
        """Open the site's first page, as a visitor or, with an `owner`, as a signed-in person.

        `offers` are the files that can be uploaded.
        """
        self.world = world
        self.offers = {offer.name: offer.text for offer in offers}
        self.downloaded: list[tuple[str, bytes]] = []
        """Name and content of every downloaded file."""
        self.database = sqlite3.connect(":memory:", check_same_thread=False)
        self.database.deserialize(world.template)
        self.client = Client(world.app)
        self.seen: list[tuple[str, str]] = []
        """Address and document of every page as it was loaded, and after every entry."""
        self.sent: list[str] = []
        """The path of every submitted form."""
        cookies = world.sign_in(self.database, owner) if owner else {}
        self._cookies = {*cookies}
        for name, value in cookies.items():
            self.client.set_cookie(name, value, domain=world.host)
        self.get("/")

    def fork(self) -> Self:
        """Return a walker in the same state, with its own database."""
        walker = type(self)(self.world)
        walker.database.deserialize(self.database.serialize())
        for name in self._cookies:
            if cookie := self.client.get_cookie(name, domain=self.world.host):
                walker.client.set_cookie(name, cookie.value, domain=self.world.host)
        walker.offers, walker.downloaded = self.offers, [*self.downloaded]
        walker._cookies, walker.seen = {*self._cookies}, [*self.seen]
        walker.url, walker.html, walker.page, walker.status = self.url, self.html, copy.deepcopy(self.page), self.status
        return walker

    @contextmanager
    def trial(self) -> Iterator[Self]:
        """Let the body use the walker, and restore its state and database afterwards."""
        snapshot = self.database.serialize()
        cookies = {name: self.client.get_cookie(name, domain=self.world.host) for name in self._cookies}
        place = self.url, self.html, self.page, self.status, [*self.seen], [*self.downloaded]
        # Edits of the body change the copy.
        self.page = copy.deepcopy(self.page)
        try:
            yield self
        finally:
            self.database.deserialize(snapshot)
            for name, cookie in cookies.items():
                if cookie:
                    self.client.set_cookie(name, cookie.value, domain=self.world.host)
            self.url, self.html, self.page, self.status, self.seen, self.downloaded = place

    def get(self, path: str) -> TestResponse:
        """Open a page, and follow redirects."""
        return self._arrive(self.fetch(path))

    def look(self, path: str, *, stay: bool = False) -> None:
        """Open a page in a second tab and continue in the first one; `stay` leaves the second tab in front."""
        here = self.url, self.html, self.page, self.status
        self.get(path)
        self.url, self.html, self.page, self.status = here
        if not stay:
            self._record_page()

    def fetch(self, path: str) -> TestResponse:
        """Return the answer to a path, and stay on the page."""
        return self._request("GET", path)

    def post(self, path: str, data: Mapping[str, Any]) -> TestResponse:
        """Submit a form and open the page that the site redirects to.

        Raises BrokenError without a redirect, LostError for an answer without content.
        """
        self.sent.append(urlsplit(path).path)
        answer = self._request("POST", path, data=data)
        # A browser stays on the page.
        if answer.status_code == HTTPStatus.NO_CONTENT:
            raise LostError(f"POST {path} has no effect")
        if answer.status_code not in REDIRECTS:
            raise BrokenError(f"POST {path}: status {answer.status_code}, where a form must redirect")
        return self._arrive(answer)

    def environ(self) -> dict[str, object]:
        """Return the WSGI environment for requests of this episode."""
        return {DATABASE: self.database}

    def _request(self, method: str, path: str, **sent: Any) -> TestResponse:
        base = f"http://{self.world.host}/"
        try:
            options: dict[str, Any] = {"base_url": base, "environ_base": self.environ(), "headers": {"Accept": ACCEPT}}
            return self.client.open(path, method=method, **options, **sent)
        # Errors of the site's own code are reported with the request: a crawl has sent hundreds before it.
        except Exception as error:
            raise BrokenError(f"{method} {path}: {type(error).__name__}: {error}") from error
        finally:
            self.database.rollback()

    def _arrive(self, answer: TestResponse) -> TestResponse:
        self._cookies |= {header.partition("=")[0] for header in answer.headers.getlist("Set-Cookie")}
        if answer.status_code in REDIRECTS:
            return self.get(answer.headers["Location"])
        self.status = answer.status_code
        # A browser saves the file and stays on the page.
        if answer.headers.get("Content-Disposition", "").startswith("attachment"):
            _, parameters = parse_options_header(answer.headers["Content-Disposition"])
            self.downloaded.append((parameters.get("filename", ""), answer.get_data()))
            return answer
        self.url = answer.request.full_path if "?" in answer.request.url else answer.request.path
        self.html = document(answer) or answer.get_data(as_text=True)
        self.page = parsed(self.html)
        for holder in elements(self.page, "//*[@data-feed]"):
            holder.extend(_list_elements(self.fetch(holder.get("data-feed")).get_json()))
        self._record_page()
        return answer

    def _record_page(self) -> None:
        self.seen.append((self.url, lxml.html.tostring(self.page, encoding="unicode")))

    def find(self, step: Step) -> HtmlElement:
        """Return the target of a step; raises LostError if it is missing or ambiguous."""
        names = Names(self.page)
        matches = [
            element
            for element in elements(self.page, "descendant-or-self::*")
            if role(element) in ROLES[step.verb] and names.name(element) == step.target
            and (step.verb == "upload") == (element.get("type") == "file")
            and (step.on is None or step.on in _items(element, names))
        ]  # fmt: skip
        where = {element.get("href") for element in matches}
        if not matches or (len(matches) > 1 and (step.verb != "open" or len(where) > 1)):
            raise LostError(f"{step} is {len(matches)} times on {self.url}")
        return matches[0]

    def do(self, step: Step) -> None:
        """Do one step; raises LostError if it cannot be done."""
        element = self.find(step)
        if step.verb == "open":
            self.get(urljoin(self.url, element.get("href")))
        elif step.verb == "press" and (element.tag == "summary" or element.get("type") == "button"):
            # It opens something that is already on the page, as a script or the browser does, without a request.
            self._record_page()
        elif step.verb == "press":
            self.submit(next(element.iterancestors("form")), element)
        else:
            self._fill(element, step)
            self._record_page()

    def _fill(self, element: HtmlElement, step: Step) -> None:
        if step.verb == "choose":
            _choose(element, step)
        elif step.verb == "upload":
            if missing := [name for name in step.files if name not in self.offers]:
                raise LostError(f"{step}: there is no file {missing[0]!r}")
            element.set("value", step.value or "")
        elif step.verb == "enter":
            if (element.text if element.tag == "textarea" else element.get("value")) == step.value:
                raise LostError(f"{step} enters what is there")
            if element.tag == "textarea":
                element.text = step.value
            else:
                element.set("value", step.value or "")
        else:
            if (element.get("checked") is None) != (step.verb == "tick"):
                raise LostError(f"{step}: it is already so")
            element.attrib.pop("checked", None) if step.verb == "untick" else element.set("checked", "")

    def renew_token(self, form_data: "MultiDict[str, Any]") -> None:
        """Replace the token in a form's data by that of the current page, if the site's forms have one."""
        if name := self.world.form_token:
            form_data.setlist(name, strings(self.page, f"//input[@name={name!r}]/@value")[:1])

    def submit(self, form: HtmlElement, button: HtmlElement) -> None:
        """Submit a form of the page as it is filled in, by one of its buttons."""
        data = MultiDict(submission(form))
        if button.get("name"):
            data.add(button.get("name"), button.get("value") or "")
        action = urljoin(self.url, button.get("formaction") or form.get("action") or "")
        if form.get("method") == "get":
            self._arrive(self._request("GET", action, query_string=data))
        else:
            # A file field's content is not part of the form's text; a form with one is sent in parts.
            fields = [field for field in elements(form, ".//input[@type='file']") if field.get("name")]
            files = [(field.get("name") or "", name) for field in fields for name in apart(field.get("value") or "")]
            parts = [(field, (BytesIO(self.offers[name].encode()), name)) for field, name in files]
            self.post(action, MultiDict([*data.items(multi=True), *parts]))

    def run(self, goal: Goal) -> Run:
        """Read the evidence and return the episode."""
        changes = self.changes()
        owner = goal.owner(changes)
        paths = goal.paths(changes)
        pages = {state.url: state for state in self.evidence(dict.fromkeys(paths.values()), owner)}
        closings = {name: pages[path] for name, path in paths.items()}
        # A page that was seen twice is parsed once.
        states = {seen: State(*seen) for seen in dict.fromkeys(self.seen)}
        return Run([states[seen] for seen in self.seen], closings, changes)

    def changes(self) -> dict[str, TableChange]:
        """Return how the database differs from its initial state."""
        return self.world.initial.changes_to(Snapshot.read(self.database))

    def evidence(self, paths: Iterable[str], owner: str) -> Iterator[State]:
        """Read pages as `owner` sees them in a copy of the database."""
        database = sqlite3.connect(":memory:", check_same_thread=False)
        database.deserialize(self.database.serialize())
        reader = Client(self.world.app)
        for name, value in self.world.sign_in(database, owner).items():
            reader.set_cookie(name, value, domain=self.world.host)
        base = f"http://{self.world.host}/"
        for path in paths:
            options = {"base_url": base, "environ_base": {DATABASE: database}, "headers": {"Accept": ACCEPT}}
            answer = reader.get(path, **options)
            while answer.status_code in REDIRECTS:
                answer = reader.get(answer.headers["Location"], **options)
            yield State(path, recorded(document(answer)))
        database.close()


def _choose(element: HtmlElement, step: Step) -> None:
    options = [option for option in element.iter("option") if option.text_content().strip() == step.value]
    if len(options) != 1:
        raise LostError(f"{step}: {len(options)} options")
    if options[0].get("selected") is not None:
        raise LostError(f"{step} chooses what is chosen")
    for option in element.iter("option"):
        option.attrib.pop("selected", None)
    options[0].set("selected", "")


def _list_elements(feed: dict[str, Any]) -> list[HtmlElement]:
    """Return the elements that a list's script makes from its feed."""
    articles = []
    for entry in (entry for group in feed["groups"] for entry in group["items"]):
        article = lxml.html.Element("article", itemscope="", itemtype=f"https://schema.org/{entry['type']}")
        for part in entry["parts"]:
            holder = lxml.html.Element("a", href=part["href"]) if "href" in part else article
            if holder is not article:
                article.append(holder)
            node = lxml.html.Element("time" if "value" in part else "span", itemprop=part["prop"])
            if "value" in part:
                node.set("datetime", part["value"])
            node.text = part["text"]
            holder.append(node)
        articles.append(article)
    return articles


def _items(element: HtmlElement, names: Names) -> set[str]:
    scopes = [above for above in element.iterancestors() if above.get("itemscope") is not None]
    return {names.text(prop) for scope in scopes for prop in elements(scope, "descendant::*[@itemprop='name']")[:1]}
