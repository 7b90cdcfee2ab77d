"""No request of an agent breaks a site: no path, query or form causes a 500."""

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from werkzeug.test import TestResponse

from stressweb.core import draws
from stressweb.sites.kit import Widget
from stressweb.sites.kit.spec.site import ActionSpec, SiteSpec
from stressweb.walking.documents import ACCEPT
from stressweb.walking.walker import Walker
from tests.examples import examples
from tests.support.crawling import PERSONAS, SITES, site, visitor

ODD = (
    "", " ", "0", "-1", "1e9", "9" * 40, "0001-01-01", "9999-12-31", "9999-12", "2025-W05-1", "2025-02-30", "T0930",
    "24:00", "09:30:00", "../..", "a/b", "%00", "\x00", "\ud800".encode("utf-8", "replace").decode(), "{me.password}",
    "{0.__class__}", "{", "'; DROP TABLE event; --", "<script>", "\u202e", "x" * 5000, "on", "NaN", "None",
)  # fmt: skip
VALUES = st.one_of(st.sampled_from(ODD), st.text(max_size=30))


def query_names(widgets: tuple[Widget, ...]) -> Iterator[str]:
    for widget in widgets:
        for names in ("fields", "filters", "send"):
            yield from getattr(widget, names, ())
        yield from query_names(getattr(widget, "widgets", ()))


def parameters(spec: SiteSpec) -> list[str]:
    """Return the names of all query parameters of a site."""
    pages = (name for page in spec.pages.values() for name in query_names(page.widgets))
    return sorted({*pages, "q", "page", "sort", "from", "to", "date", "day", "category", "unknown"})


def paths(spec: SiteSpec) -> list[str]:
    return [page.path for group in (spec.pages, spec.feeds, spec.downloads) for page in group.values()]


def ask(walker: Walker, path: str, keys: list[str], query: dict[str, str]) -> int:
    """Return the status of a page with values for its variable parts; raises an exception of the site."""
    filled = iter([*keys, *[""] * 9])
    where = re.sub(r"<\w+>", lambda _: quote(next(filled), safe="") or "none", path)
    base = f"http://{walker.world.host}/"
    # The page itself, and not the shell of one that the browser draws.
    asked_as = {"Accept": ACCEPT}
    answer = walker.client.get(
        where, query_string=query, base_url=base, environ_base=walker.environ(), headers=asked_as
    )
    return answer.status_code


@pytest.fixture(scope="module", params=SITES)
def walker(request: pytest.FixtureRequest) -> Walker:
    return visitor(request.param, 0, PERSONAS.get(request.param, ""))


@pytest.mark.audit
@pytest.mark.parametrize("name", SITES)
def test_every_parameter_takes_every_odd_value(name: str) -> None:
    walker, spec = visitor(name, 0, PERSONAS.get(name, "")), site(name, 0).spec
    for path in paths(spec):
        for value in ODD:
            assert ask(walker, path, [value], {}) in (200, 303, 404), (path, value)
    for path in (path for path in paths(spec) if "<" not in path or path.startswith(("/go", "/month", "/week", "/c/"))):
        for parameter in parameters(spec):
            for value in ODD:
                keys = {"/go/<view>": "month", "/month/<month>": "2025-02", "/week/<day>": "2025-02-03"}.get(
                    path, "bags"
                )
                assert ask(walker, path, [keys], {parameter: value}) in (200, 303, 404), (path, parameter, value)


@pytest.mark.sample(3)
@examples(160)
@given(data=st.data())
def test_any_value_in_any_query(walker: Walker, data: st.DataObject) -> None:
    spec = walker.world.spec  # type: ignore[attr-defined]
    path = data.draw(st.sampled_from(paths(spec)))
    query = data.draw(st.dictionaries(st.sampled_from(parameters(spec)), VALUES, max_size=4))
    # Flask redirects an address with two slashes to the one with one: 308.
    assert ask(walker, path, [data.draw(VALUES)], query) in (200, 303, 308, 404)


def send(walker: Walker, spec: ActionSpec, data: dict[str, Any]) -> int:
    return sent(walker, spec, data).status_code


def sent(walker: Walker, spec: ActionSpec, data: dict[str, Any]) -> TestResponse:
    (session,) = walker.database.execute("SELECT id FROM session").fetchone()
    token = draws.digest(walker.world.secret, "token", session, size=16).hex()  # type: ignore[attr-defined]
    return walker.client.post(
        spec.path,
        data={**data, "csrf_token": token},
        base_url=f"http://{walker.world.host}/",
        environ_base=walker.environ(),
    )


@pytest.mark.sample(3)
@examples(40)
@given(data=st.data())
def test_any_value_in_any_form(walker: Walker, data: st.DataObject) -> None:
    """The page after a form shows the sent values again, and must not break either."""
    spec: SiteSpec = walker.world.spec  # type: ignore[attr-defined]
    action = spec.actions[data.draw(st.sampled_from(sorted(spec.actions.keys() - {"sign_out"})))]
    known = {key: rows[0].id for key, rows in walker.world.entities.items() if rows}
    values = {
        name: data.draw(
            st.one_of(
                st.just(known.get(getattr(field, "row", None) or "", "2025-02-03")), st.sampled_from(["10:00"]), VALUES
            )
        )
        for name, field in action.fields.items()
    }
    assert send(walker, action, values) == 303
    for path in paths(spec):
        if "<" not in path:
            assert ask(walker, path, [], {}) in (200, 303)


@pytest.mark.parametrize(
    "path",
    [
        "/batch?from=9999-12-31",
        "/batch?to=0001-01-01",
        "/agenda?from=9999-12-25",
        "/agenda.json?from=9999-12-31",
        "/week/9999-12-31",
        "/month/9999-12",
        "/go/month?date=9999-12-31",
        "/new?day=2025-W05-1",
    ],
)
def test_a_day_at_the_end_of_the_calendar_is_no_way_out(path: str) -> None:
    """Otherwise an agent could turn a lost episode into an error, which counts in no rate."""
    assert visitor("calendar", 0).fetch(path).status_code in (200, 303, 404)


def test_a_time_in_another_form_is_refused() -> None:
    """It was once accepted, and every page with the event broke."""
    walker = visitor("calendar", 0)
    fields = site("calendar", 0).spec.actions["create_event"]
    data = {"title": "Odd", "day": "2025-02-03", "start": "T0930", "end": "T1030", "category": "work"}
    assert send(walker, fields, data) == 303
    assert "appointment" not in walker.changes()


ELSEWHERE = (
    "//evil.test/",
    "/\\evil.test/",
    "/\t/evil.test/",
    "/\t\\evil.test/",
    "\\\\evil.test/",
    "http://evil.test/",
    "",
)
"""Not paths, or another site for browsers, which read a backslash as a slash and drop tabs."""


@pytest.mark.parametrize("back", ELSEWHERE)
def test_no_form_leads_to_another_site(back: str) -> None:
    walker = visitor("calendar", 0)
    answer = sent(walker, site("calendar", 0).spec.actions["create_event"], {"title": "", "back": back})
    assert (answer.status_code, answer.headers["Location"]) == (303, "/")


@pytest.mark.parametrize("back", ELSEWHERE)
def test_no_sign_in_leads_to_another_site(back: str) -> None:
    world = site("shop", 0)
    walker, actions = visitor("shop", 0), world.spec.actions
    private = next(action for action in actions.values() if action.signed_in)
    answer = sent(walker, private, {"back": back})
    assert (answer.status_code, answer.headers["Location"]) == (303, "/sign-in")
    person = next(customer for customer in world.entities["Customer"] if customer.persona == PERSONAS["shop"])
    answer = sent(walker, actions["sign_in"], {"email": person.id, "password": person.password})
    assert (answer.status_code, answer.headers["Location"]) == (303, "/")


def test_a_form_leads_back_to_where_it_was_sent_from() -> None:
    walker = visitor("calendar", 0)
    back = "/agenda?from=2025-02-03&q=a%5Cb//c"
    answer = sent(walker, site("calendar", 0).spec.actions["create_event"], {"title": "", "back": back})
    assert answer.headers["Location"] == back


@pytest.mark.parametrize("value", ["{me}", "{", "{0}", "{}"])
def test_braces_in_a_query_are_text(value: str) -> None:
    assert visitor("tasks", 0).fetch(f"/items?tag={value}").status_code == 200
