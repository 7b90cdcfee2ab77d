"""The DOM of a document served under `sham` equals that of the original: our script leaves no trace."""

from collections.abc import Callable, Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from playwright.sync_api import Browser, Route

from stressweb.core.draws import Seeds
from stressweb.perturbations.episode_perturber import EpisodePerturber
from stressweb.perturbations.insertion import Inserter, Unfit
from stressweb.perturbations.stream import script_element
from tests.perturbations.documents import PIECES, dom, installed, mutated
from tests.sampling import sample_seed

pytestmark = pytest.mark.timeout(3600)

GENERATED, MUTATIONS, SAMPLE = 2_100, 30, 20
"""Number of generated documents, of mutations of each installed one, and of documents in `make test`."""
PASSES = {Unfit.BROKEN, Unfit.DECLARED_LATE, Unfit.EMPTY, Unfit.LONG}
"""Reasons for which a document passes unchanged, so that it need not be compared."""

type Differs = Callable[..., str]


@pytest.fixture(scope="module")
def differs(browser: Browser) -> Iterator[Differs]:
    """Return how the DOM of a document with the script of an episode under `sham` differs from the original's."""
    perturber = EpisodePerturber([], Seeds(0, 0, "toy/fidelity"), active=True)
    with browser.new_context(service_workers="block") as context:
        page = context.new_page()
        served = b""

        def serve(route: Route) -> None:
            # Without frames and pictures: only the document itself is compared.
            if route.request.frame == page.main_frame and route.request.is_navigation_request():
                route.fulfill(body=served, content_type="text/html; charset=utf-8")
            else:
                route.fulfill(status=404)

        def dom_of(body: bytes) -> str:
            nonlocal served
            served = body
            page.goto("http://site.test/", wait_until="domcontentloaded")
            return dom(page)

        def _differs(html: str, element: str = "") -> str:
            original = html.encode()
            script = element or script_element(perturber.script("toy", ("site.test",), "/"), "nonce")
            inserter = Inserter(script, "utf-8")
            changed = inserter.feed(original) + inserter.finish()
            if not inserter.inserted:
                assert inserter.unfit in PASSES or (inserter.unfit is Unfit.CHARSET and b"\0" in original[:4])
                assert changed == original
                return ""
            assert len(changed) == len(original) + len(script.encode())
            ours, theirs = dom_of(changed), dom_of(original)
            # A page whose own scripts change it differently each time cannot be compared.
            if ours == theirs or dom_of(original) != theirs:
                return ""
            index = next(
                (
                    number
                    for number, (ours_char, theirs_char) in enumerate(zip(ours, theirs, strict=False))
                    if ours_char != theirs_char
                ),
                -1,
            )
            return f"{ours[max(0, index - 80) : index + 80]!r} instead of {theirs[max(0, index - 80) : index + 80]!r}"

        page.route("**/*", serve)
        yield _differs


def many() -> settings:
    """Return settings with the number of generated documents."""
    profile = settings.get_current_profile_name()
    return settings(max_examples=GENERATED if profile == "audit" else SAMPLE)


@many()
@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
def test_documents_put_together(differs: Differs, html: str) -> None:
    assert differs(html) == ""


@pytest.mark.sample(2)
@pytest.mark.parametrize(("name", "html"), installed(), ids=[name for name, _ in installed()])
def test_documents_of_installed_packages(differs: Differs, name: str, html: str) -> None:
    assert differs(html) == ""


@pytest.mark.sample(1)
@pytest.mark.parametrize(("name", "html"), installed(), ids=[name for name, _ in installed()])
def test_documents_of_installed_packages_with_a_mistake(differs: Differs, name: str, html: str) -> None:
    changed = [mutated(html, sample_seed(), name, number) for number in range(MUTATIONS)]
    assert [html for html in changed if differs(html)] == []


def test_a_trace_is_found(differs: Differs) -> None:
    """The other tests can fail: an element that stays, or an attribute, is detected."""
    html = "<!doctype html>\n<html><head><title>t</title></head><body><p>x</body></html>"
    assert differs(html) == ""
    for trace in ("<meta name=ours>", "<script>document.documentElement.dataset.x = 1</script>"):
        assert differs(html, trace) != ""
