"""Proxy settings of an episode, with its credential, for browsers and clients that a test starts."""

from base64 import b64encode

from playwright.sync_api import ProxySettings

from stressweb.perturbations import PROXY_USER
from stressweb.runner.world.world import EpisodeWorld


def settings(episode: EpisodeWorld) -> ProxySettings:
    """Return the proxy settings for a Playwright context."""
    return ProxySettings(server=f"http://127.0.0.1:{episode.port}", username=PROXY_USER, password=episode.credential)


def address(episode: EpisodeWorld) -> str:
    """Return the proxy as a URL with its credential."""
    return f"http://{PROXY_USER}:{episode.credential}@127.0.0.1:{episode.port}"


def header(episode: EpisodeWorld, *, evidence: bool = False) -> dict[str, str]:
    """Return the header with the credential, for a client that connects to the port directly."""
    password = episode.evidence_credential if evidence else episode.credential
    return {"Proxy-Authorization": f"Basic {b64encode(f'{PROXY_USER}:{password}'.encode()).decode()}"}
