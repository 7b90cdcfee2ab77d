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
class Served:
    """One episode's view of one site."""

    site: str
    """The site's id, on which draws depend."""
    host: str
    """The host under which the site is requested, with port where it is not 80."""
    hosts: frozenset[str]
    """Every host that stands for the site itself in an absolute URL: `host`, and the one that its spec names."""
    database: str
    """The database that the site uses; "" for none."""
    assets: AssetCache
    """Cached answers of the site, shared by all episodes of its world."""


class PageObserver(Protocol):
    """Observes the pages of a browser that is not ours, by a script in each document."""

    def script(self, path: str) -> str:
        """Return the script of the next document, which is at `path` of a site; as JavaScript in ASCII."""

    def message(self, path: str, body: bytes) -> str | None:
        """Take a message that was sent to a path; return the reply as JSON, or None for a request to the site.

        Raises ReportError for a message that the script never sends.
        """


@dataclass
class Binding:
    """What a listening port serves: one episode's view of its sites."""

    served: tuple[Served, ...]
    """The site of the episode, or those of a chain; no other host is answered."""
    upstream: tuple[str, int]
    stress: EpisodePerturber
    credential: str = field(default="", kw_only=True)
    """The password of the port, so that no other process of this machine gets an answer."""
    open: bool = field(default=False, kw_only=True)
    """Whether the port answers without the credential, as `serve` does for a person's browser."""
    served_pages: Callable[[http.Request], http.Response | None] | None = field(default=None, kw_only=True)
    """Answers requests to `serve` itself, such as a reset, and returns None for the site's; None in an episode."""
    observer: PageObserver | None = field(default=None, kw_only=True)
    """Observer of an agent's own browser; None where we have a session with the browser."""
    evidence: bool = field(default=False, kw_only=True)
    """Whether the browser that reads evidence uses the port; all episodes share that browser."""
    open_flows: int = 0
    started: int = 0
    faults: list[Fault] = field(default_factory=list)

    def served_at(self, host: str) -> Served | None:
        """Return the site at a host; None for a foreign host."""
        return next((served for served in self.served if served.host == host), None)

    def script(self, served: Served, path: str) -> str:
        """Return the script of the document at a path of a site; empty if it gets none."""
        observing = "" if self.observer is None else self.observer.script(path)
        return observing + (self.stress.script(served.site, served.hosts, path) if self.stress.active else "")


def bind(flow: http.HTTPFlow, binding: Binding) -> None:
    """Bind a flow to its episode: by the time the answer comes, its port may serve another one."""
    flow.metadata[_BINDING] = binding


def any_binding(flow: http.HTTPFlow) -> Binding | None:
    """Return the episode of a flow; None if it came by a connection of no episode."""
    return flow.metadata.get(_BINDING)


def binding_of(flow: http.HTTPFlow) -> Binding:
    """Return the episode of a flow that `Episodes` has let pass."""
    return cast(Binding, flow.metadata[_BINDING])


def serve_from(flow: http.HTTPFlow, served: Served) -> None:
    """Set the site of a flow."""
    flow.metadata[_SERVED] = served


def served_of(flow: http.HTTPFlow) -> Served:
    """Return the site of a flow that `Hosts` has let pass."""
    return cast(Served, flow.metadata[_SERVED])
