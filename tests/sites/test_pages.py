"""Every page that a crawl reaches is whole, repeats byte for byte, and reaches for nothing elsewhere."""

import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urljoin, urlsplit

import lxml.html
import pytest

from sites import kit
from sites.kit import theme
from stressweb.accname import Names, role
from stressweb.tasks import Step

type Worlds = Callable[[int], kit.KitWorld]

FIELDS = ("textbox", "searchbox", "spinbutton", "combobox", "checkbox", "radio")


def sign_in(visitor: Any, persona: str) -> None:
    labels = visitor.world.labels
    customer = next(one for one in visitor.world.entities["Customer"] if one.persona == persona)
    visitor.walk(
        (
            Step(verb="open", target=labels["link_sign_in"]),
            Step(verb="enter", target=labels["email"], value=customer.id),
            Step(verb="enter", target=labels["password"], value=customer.password),
            Step(verb="press", target=labels["do_sign_in"]),
        )
    )


def crawl(visitor: Any, limit: int = 60) -> Iterator[Any]:
    """Yield the walker on every page that links lead to, at most a dozen of one kind."""
    queue, seen, kinds = ["/"], {"/"}, Counter[str]()
    while queue and limit:
        here = queue.pop(0)
        visitor.get(here)
        limit -= 1
        yield visitor
        for link in visitor.page.xpath("//a[@href]"):
            parts = urlsplit(urljoin(here, link.get("href")))
            address = parts.path + (f"?{parts.query}" if parts.query else "")
            kind = parts.path.split("/")[1]
            if address not in seen and kinds[kind] < 12:
                kinds[kind] += 1
                seen.add(address)
                queue.append(address)


@pytest.mark.parametrize("persona", ["", "saver", "regular"])
@pytest.mark.parametrize("seed", [0, 7])
def test_every_page_is_whole(world: Worlds, walker: Any, seed: int, persona: str) -> None:
    visitor = walker.Walker(world(seed))
    if persona:
        sign_in(visitor, persona)
    paths = set()
    for at in crawl(visitor):
        paths.add(at.url.split("/")[1])
        assert at.status == 200, at.url
        assert len(at.page.xpath("//title[normalize-space()]")) == 1, at.url
        assert len(at.page.xpath("//h1")) == len(at.page.xpath("//main")) == 1, at.url
        assert not at.page.xpath("//form//form|//p//div|//a//a|//*[@style='position']"), at.url
        assert not re.search(r"""(?:src|href|action)=["'](?:https?:)?//""", at.html), at.url
        ids = [element.get("id") for element in at.page.xpath("//*[@id]")]
        assert len(ids) == len(set(ids)), at.url
        names = Names(at.page)
        for element in at.page.xpath("//a|//button|//input[not(@type='hidden')]|//select|//textarea"):
            assert names.name(element), (at.url, lxml.html.tostring(element))
        for form in at.page.xpath("//form[@method='post']"):
            assert form.xpath(".//input[@name='csrf_token']"), at.url
            assert form.xpath(".//button[@type='submit']"), at.url
    assert paths >= {"", "c", "p", "cart", "all", "help"}
    assert not persona or paths >= {"orders", "wishlist", "account"}


@pytest.mark.parametrize("seed", range(8))
def test_no_two_controls_say_the_same(world: Worlds, walker: Any, seed: int) -> None:
    visitor = walker.Walker(world(seed))
    sign_in(visitor, "saver")
    for at in crawl(visitor, limit=25):
        names, found, place = Names(at.page), {}, at.page.getroottree().getpath
        for element in at.page.iter():
            what = role(element) if isinstance(element.tag, str) else ""
            if what not in ("link", "button", *FIELDS) or element.get("type") == "hidden":
                continue
            scopes = [above for above in element.iterancestors() if above.get("itemscope") is not None]
            key = (what, names.name(element), place(scopes[0]) if scopes else "")
            leads = element.get("href") or place(element)
            assert found.setdefault(key, leads) == leads, (at.url, key)


def test_pages_repeat_byte_for_byte(walker: Any) -> None:
    visits = [walker.Walker(kit.load("shop", 4)) for _ in range(2)]
    for visitor in visits:
        sign_in(visitor, "saver")
        visitor.pages = []
        for at in crawl(visitor, limit=20):
            visitor.pages.append(at.html)
    assert visits[0].pages == visits[1].pages
    assert visits[0].fetch("/cart").headers == visits[1].fetch("/cart").headers


def test_reading_a_page_writes_nothing_but_the_session(world: Worlds, walker: Any) -> None:
    visitor = walker.Walker(world(0))
    for _ in crawl(visitor, limit=20):
        pass
    changes = walker.changes(walker.Walker(world(0)).database, visitor.database)
    assert not any(change.added or change.altered or change.removed for change in changes.values())


def test_headers(world: Worlds, walker: Any) -> None:
    visitor = walker.Walker(world(0))
    page = visitor.fetch("/cart")
    assert page.headers["Cache-Control"] == "no-store"
    assert "script-src 'self' 'nonce-" in page.headers["Content-Security-Policy"]
    assert "Set-Cookie" not in page.headers
    first = walker.Walker(world(0)).client.get("/", environ_base=walker.Walker(world(0))._environ())
    assert "SameSite=Lax" in first.headers["Set-Cookie"]
    assert "Expires" not in first.headers["Set-Cookie"]
    asset = visitor.fetch(f"/assets/{world(0).look.theme}.css")
    assert asset.headers["Cache-Control"].startswith("max-age")
    assert "Set-Cookie" not in asset.headers


@pytest.mark.parametrize("name", theme.THEMES)
def test_a_theme_fetches_nothing(name: str) -> None:
    sheet = theme.stylesheet(name)
    assert len(sheet) > 200_000
    assert "@import" not in sheet
    assert not re.search(r"""url\(["']?(?!["']?data:)""", sheet)


def test_every_picture_is_drawn(world: Worlds, walker: Any) -> None:
    visitor = walker.Walker(world(1))
    pictures = {product.picture for product in world(1).entities["Product"]}
    bodies = set()
    for picture in list(pictures)[::8]:
        answer = visitor.fetch(picture)
        assert answer.mimetype == "image/svg+xml"
        bodies.add(answer.data)
    assert len(bodies) == len(list(pictures)[::8])


def test_a_form_without_its_token_is_refused(world: Worlds, walker: Any) -> None:
    visitor = walker.Walker(world(0))
    product = next(one for one in world(0).entities["Product"] if one.in_stock)
    visitor.post("/cart/add", {"product": product.id, "quantity": "1"})
    assert world(0).labels["error_token"] in visitor.html
    assert not visitor.database.execute("SELECT * FROM cart WHERE product = ?", (product.id,)).fetchall()
    assert visitor.database.execute("SELECT COUNT(*) FROM event").fetchone() == (1,)


def test_a_refused_form_keeps_what_was_typed_and_says_what_is_wrong(world: Worlds, walker: Any) -> None:
    labels, visitor = world(0).labels, walker.Walker(world(0))
    visitor.walk(
        (
            Step(verb="open", target=labels["link_register"]),
            Step(verb="enter", target=labels["full_name"], value="Ada Byron"),
            Step(verb="enter", target=labels["email"], value="nobody"),
            Step(verb="press", target=labels["do_register"]),
        )
    )
    assert labels["error_email"] in visitor.html
    assert labels["error_required"] in visitor.html
    assert visitor.page.xpath("//input[@name='name']/@value") == ["Ada Byron"]
    assert len(visitor.page.xpath("//*[@aria-invalid='true']")) == 4
    assert not visitor.page.xpath("//input[@type='password']/@value[. != '']")


def test_pages_of_others_do_not_exist(world: Worlds, walker: Any) -> None:
    visitor = walker.Walker(world(0))
    sign_in(visitor, "regular")
    person = visitor.world.entities["Customer"][0]
    foreign = next(order for order in world(0).entities["Order"] if order.owner != person.id)
    assert visitor.get(f"/orders/{foreign.id}").status_code == 404
    assert visitor.get("/p/no-such-thing").status_code == 404
    assert visitor.get("/assets/none.css").status_code == 404


def test_signing_in_returns_to_the_page_that_asked(world: Worlds, walker: Any) -> None:
    visitor = walker.Walker(world(2))
    answer = visitor.fetch("/orders")
    assert answer.status_code == 303
    visitor.get(answer.headers["Location"])
    assert visitor.world.labels["error_signed_out"] in visitor.html
    customer = visitor.world.entities["Customer"][0]
    labels = visitor.world.labels
    visitor.walk(
        (
            Step(verb="enter", target=labels["email"], value=customer.id),
            Step(verb="enter", target=labels["password"], value=customer.password),
            Step(verb="press", target=labels["do_sign_in"]),
        )
    )
    assert visitor.url == "/orders"


def test_a_fault_of_the_site_is_raised_and_undone(walker: Any) -> None:
    visitor = walker.Walker(kit.load("shop", 0))
    visitor.database.execute("DROP TABLE cart")
    visitor.database.commit()
    token = visitor.page.xpath("//input[@name='csrf_token']/@value")[0]
    product = next(one for one in visitor.world.entities["Product"] if one.in_stock)
    with pytest.raises(sqlite3.OperationalError, match="cart"):
        visitor.post("/cart/add", {"csrf_token": token, "product": product.id, "quantity": "1"})
    assert not visitor.database.in_transaction
    assert visitor.database.execute("SELECT COUNT(*) FROM event").fetchone() == (0,)
