"""The episode that a listening port serves, and the binding of each flow to it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol, cast

from mitmproxy import http

from stressweb.core.errors import Fault
from stressweb.perturbations.asset_cache import AssetCache
from stressweb.perturbations.episode_perturber import EpisodePerturber

_BINDING, _SERVED = "binding", "served"


@dataclass
class ServedSite:
    """The site of an episode, with its hosts and its database."""

    site: str
    """The site's id; draws depend on it."""
    host: str
    """The host of the site's URLs, with the port if it is not 80."""
    hosts: frozenset[str]
    """Hosts that mean this site in an absolute URL: `host` and the host in its spec."""
    database: str
    """Name of the episode's database of the site; "" for none."""
    assets: AssetCache
    """Cached answers of the site, shared by all episodes of its world."""


class PageObserver(Protocol):
    """Observes the pages of an agent's own browser by a script in each document."""

    def script(self, path: str) -> str:
        """Return the script for the next document, which is at `path` of a site: JavaScript in ASCII."""

    def message(self, path: str, body: bytes) -> str | None:
        """Take a message posted to a path; return the reply as JSON, or None if the request is meant for the site.

        Raises ReportError for a message that the script never sends.
        """


@dataclass
class Binding:
    """The episode of a listening port, with its sites."""

    served: tuple[ServedSite, ...]
    """The site of the episode, or the sites of a chain; requests to other hosts are refused."""
    upstream: tuple[str, int]
    stress: EpisodePerturber
    credential: str = field(default="", kw_only=True)
    """The password of the port, which keeps out other processes of this machine."""
    needs_no_credential: bool = field(default=False, kw_only=True)
    """Whether the port answers without the credential, as `serve` needs for a person's browser."""
    served_pages: Callable[[http.Request], http.Response | None] | None = field(default=None, kw_only=True)
    """Handler of requests to `serve` itself, such as a reset; it returns None for all others. None in an episode."""
    observer: PageObserver | None = field(default=None, kw_only=True)
    """Observer of an agent's own browser; None if we control the browser ourselves."""
    serves_evidence_browser: bool = field(default=False, kw_only=True)
    """Whether the port belongs to the browser that reads evidence, which all episodes share."""
    open_flows: int = 0
    started: int = 0
    faults: list[Fault] = field(default_factory=list)

    def served_at(self, host: str) -> ServedSite | None:
        """Return the site at a host; None for a foreign host."""
        return next((served for served in self.served if served.host == host), None)

    def script(self, served: ServedSite, path: str) -> str:
        """Return the script for the document at a path of a site; "" for none."""
        observing = "" if self.observer is None else self.observer.script(path)
        return observing + (self.stress.script(served.site, served.hosts, path) if self.stress.active else "")


def bind(flow: http.HTTPFlow, binding: Binding) -> None:
    """Bind a flow to its episode; by the time of the response, its port may serve another episode."""
    flow.metadata[_BINDING] = binding


def binding_or_none(flow: http.HTTPFlow) -> Binding | None:
    """Return the episode of a flow; None if its connection belongs to no episode."""
    return flow.metadata.get(_BINDING)


def binding_of(flow: http.HTTPFlow) -> Binding:
    """Return the episode of a flow that has passed `Episodes`."""
    return cast(Binding, flow.metadata[_BINDING])


def serve_from(flow: http.HTTPFlow, served: ServedSite) -> None:
    """Set the site of a flow."""
    flow.metadata[_SERVED] = served


def served_of(flow: http.HTTPFlow) -> ServedSite:
    """Return the site of a flow that has passed `Hosts`."""
    return cast(ServedSite, flow.metadata[_SERVED])
