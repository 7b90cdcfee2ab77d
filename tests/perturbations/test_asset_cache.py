"""The cache stores only answers that the site allows, for as long as it allows, and returns them only to the same request."""

import time
from collections.abc import Mapping

import pytest
from mitmproxy.http import Headers, HTTPFlow, Request, Response
from mitmproxy.test import tflow

from stressweb.perturbations.asset_cache import LARGEST_ANSWER, LARGEST_CACHE, AssetCache, lifetime_of

BODY = b"p { color: red }"


def request(method: str = "GET", **headers: str) -> Request:
    return Request.make(method, "http://toy.test/style.css?v=1", headers=Headers((), **headers))


def answer(status: int = 200, body: bytes = BODY, **headers: str) -> Response:
    return Response.make(status, body, Headers((), **headers))


def passed(cache: AssetCache, asking: Request, answered: Response, *pieces: bytes) -> Response | None:
    """Pass an answer through the cache, and return the cache's answer to a plain request afterwards."""
    flow: HTTPFlow = tflow.tflow(req=asking, resp=answered)
    answered.stream = True
    cache.watch(flow)
    if callable(answered.stream):
        chunks = pieces or (answered.raw_content or b"", b"")
        assert [answered.stream(piece) for piece in chunks] == list(chunks)
    return cache.answer(request())


@pytest.mark.parametrize(
    ("headers", "lifetime_s"),
    [
        ({"Cache-Control": "max-age=60"}, 60),
        ({"Cache-Control": 'public, Max-Age="60", immutable'}, 60),
        ({"Cache-Control": "max-age=60, must-revalidate"}, 60),
        ({"Cache-Control": "max-age=0, must-revalidate"}, 0),
        ({"Cache-Control": "max-age=60, s-maxage=0"}, 0),
        ({"Cache-Control": "max-age=60", "Age": "45"}, 15),
        ({"Cache-Control": "max-age=60", "Age": "99"}, 0),
        ({"Cache-Control": "max-age=-1"}, 0),
        ({"Cache-Control": "max-age"}, 0),
        ({"Cache-Control": "public"}, 0),
        ({}, 0),
        *(({"Cache-Control": f"max-age=60, {word}"}, 0) for word in ("no-store", "No-Cache", "private", 'private="x"')),
        ({"Cache-Control": "max-age=60", "Vary": "Cookie"}, 0),
        ({"Cache-Control": "max-age=60", "Set-Cookie": "a=b"}, 0),
    ],
)
def test_lifetime_of(headers: Mapping[str, str], lifetime_s: float) -> None:
    assert lifetime_of(answer(200, BODY, **headers)) == lifetime_s
    cached = passed(AssetCache(time.monotonic), request(), answer(200, BODY, **headers))
    assert (cached is not None) is (lifetime_s > 0)
    for status in (206, 304, 404):
        assert lifetime_of(answer(status, BODY, **headers)) == 0


def test_an_answer_is_the_same_and_ends_with_its_lifetime() -> None:
    clock = [100.0]
    cache = AssetCache(lambda: clock[0])
    original = answer(Cache_Control="max-age=60", Content_Type="text/css", ETag='"one"')
    cached = passed(cache, request(), original)
    assert cached is not None
    assert (cached.status_code, cached.raw_content, list(cached.headers.fields)) == (
        200,
        BODY,
        list(original.headers.fields),
    )
    # The receiver may change it; it is not streamed, so that mitmproxy sends it.
    assert cached.stream is False
    cached.headers["X-Other"] = "x"
    clock[0] = 159.9
    again = cache.answer(request())
    assert again is not None
    assert "X-Other" not in again.headers
    clock[0] = 160.0
    assert cache.answer(request()) is None
    newer = passed(cache, request(), answer(body=b"newer", Cache_Control="max-age=60"))
    assert newer is not None
    assert newer.raw_content == b"newer"


@pytest.mark.parametrize(
    "asking",
    [
        request("HEAD"),
        request("POST"),
        *(request(**{name: "x"}) for name in ("Range", "If-None-Match", "If-Modified-Since", "Authorization")),
    ],
)
def test_only_a_plain_request_is_answered_and_its_answer_cached(asking: Request) -> None:
    cache = AssetCache(time.monotonic)
    assert passed(cache, asking, answer(Cache_Control="max-age=60")) is None
    assert passed(cache, request(), answer(Cache_Control="max-age=60")) is not None
    assert cache.answer(asking) is None


def test_a_browser_without_a_cache_of_its_own_is_answered() -> None:
    cache = AssetCache(time.monotonic)
    asking = request(Cache_Control="no-cache", Pragma="no-cache")
    assert passed(cache, asking, answer(Cache_Control="max-age=60")) is not None
    assert cache.answer(asking) is not None


def test_another_query_is_another_request() -> None:
    cache = AssetCache(time.monotonic)
    assert passed(cache, request(), answer(Cache_Control="max-age=60")) is not None
    assert cache.answer(Request.make("GET", "http://toy.test/style.css?v=2")) is None


@pytest.mark.parametrize(
    ("pieces", "whole"),
    [
        ((BODY[:4], BODY[4:], b""), True),
        ((BODY[:4], BODY[4:]), False),
        ((BODY[:4], b""), False),
        ((BODY[:4], b"", BODY[4:], b""), True),
    ],
)
def test_an_incomplete_answer_is_not_cached(pieces: tuple[bytes, ...], whole: bool) -> None:
    cached = passed(AssetCache(time.monotonic), request(), answer(Cache_Control="max-age=60"), *pieces)
    assert (cached and cached.raw_content) == (BODY if whole else None)


def test_the_cache_and_its_answers_have_a_largest_size() -> None:
    cache = AssetCache(time.monotonic)
    assert passed(cache, request(), answer(body=bytes(LARGEST_ANSWER + 1), Cache_Control="max-age=60")) is None
    requests = [
        Request.make("GET", f"http://toy.test/{number}") for number in range(2 * LARGEST_CACHE // LARGEST_ANSWER)
    ]
    for asking in requests:
        passed(cache, asking, answer(body=bytes(LARGEST_ANSWER), Cache_Control="max-age=60"))
    answers = [cached for asking in requests if (cached := cache.answer(asking))]
    assert sum(len(cached.raw_content or b"") for cached in answers) == LARGEST_CACHE


def test_a_replaced_answer_takes_no_room() -> None:
    clock = [0.0]
    cache = AssetCache(lambda: clock[0])
    for _ in range(2 * LARGEST_CACHE // LARGEST_ANSWER):
        clock[0] += 100
        assert passed(cache, request(), answer(body=bytes(LARGEST_ANSWER), Cache_Control="max-age=60")) is not None
