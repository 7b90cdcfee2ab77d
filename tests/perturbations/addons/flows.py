"""Flows without a network, passed to addons by mitmproxy's own manager."""

import base64
import time
from typing import Any

import pytest
from mitmproxy import ctx, hooks, http
from mitmproxy.proxy.layers.http import HttpErrorHook, HttpRequestHook, HttpResponseHeadersHook, HttpResponseHook
from mitmproxy.test import taddons, tflow

from scripts.blocking import run as waited
from stressweb.core.draws import Seeds
from stressweb.perturbations.addons.binding import Binding, ServedSite, bind, serve_from
from stressweb.perturbations.asset_cache import AssetCache
from stressweb.perturbations.episode_perturber import EpisodePerturber
from stressweb.plugins.perturbation import Perturbation

HOST = "toy.test"
CREDENTIAL = base64.b64encode(b"stressweb:secret").decode()
REQUEST, HEADERS, RESPONSE, ERROR = HttpRequestHook, HttpResponseHeadersHook, HttpResponseHook, HttpErrorHook


def binding(*modes: Perturbation, active: bool = True, **more: Any) -> Binding:
    """Return an episode of one site."""
    stress = EpisodePerturber(modes, Seeds(0, 0, "toy/x"), active=active)
    served = ServedSite("toy", HOST, frozenset({HOST}), "database-1", AssetCache(time.monotonic))
    return Binding((served,), ("127.0.0.1", 9), stress, credential="secret", **more)


def flow(episode: Binding | None = None, path: str = "/", host: str = HOST, **headers: str) -> http.HTTPFlow:
    """Return a request of an episode, as the addons after `Episodes` and `Hosts` get it."""
    request_flow = tflow.tflow()
    request_flow.request.method, request_flow.request.path = "GET", path
    request_flow.request.headers = http.Headers(
        [
            (b"Host", host.encode()),
            *((name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()),
        ]
    )
    request_flow.request.content = b""
    if episode is not None:
        bind(request_flow, episode)
        serve_from(request_flow, episode.served[0])
    return request_flow


def meet(event: type[hooks.Hook], flow: http.HTTPFlow, *addons: object) -> http.HTTPFlow:
    """Pass an event of a flow to addons, in order."""

    async def run() -> None:
        with pytest.MonkeyPatch.context() as patch:
            # A new master replaces the running one in mitmproxy's context; unless that is restored, no later test of
            # this process gets an answer from the proxy.
            for name in ("master", "options", "log"):
                patch.setattr(ctx, name, getattr(ctx, name, None), raising=False)
            context = taddons.context(*addons, loadcore=False)
            await context.master.addons.trigger_event(event(flow))

    waited(run())
    return flow


def notes(episode: Binding) -> list[tuple[str, str, str]]:
    """Return the lines of an episode's ledger."""
    return [(entry.mode, entry.phase, entry.detail) for entry in episode.stress.entries]
