"""What a listening port stands for, and to which of them a flow belongs."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol, cast

from mitmproxy import http

from perturbations.asset_cache import AssetCache
from perturbations.episode_perturber import EpisodePerturber
from stressweb.core.errors import Fault

_BINDING, _SERVED = "binding", "served"


@dataclass
class Served:
    """One episode's view of one site."""

    site: str
    """The site's id, on which draws depend."""
    host: str
    """The name, with port where it is not 80, under which the site is asked for."""
    hosts: frozenset[str]
    """Every host that stands for the site itself in an absolute URL: `host`, and the one that its spec names."""
    database: str
    """Which database the site is to use; none while it is ""."""
    kept: AssetCache
    """What the site said may be kept, the same for every episode of its world."""


class PageObserver(Protocol):
    """Hears what happens on the pages of a browser that is not ours, by a script that comes with each document."""

    def script(self, path: str) -> str:
        """Return the script of the next document, which is at `path` of a site; as JavaScript in ASCII."""

    def message(self, path: str, body: bytes) -> str | None:
        """Take what was sent to a path; return the answer as JSON, or None for what is the site's to answer.

        Raises ReportError for what the script never sends.
        """


@dataclass
class Binding:
    """What a listening port stands for: one episode's view of its sites."""

    served: tuple[Served, ...]
    """The site of the episode, or those of a chain; no other host is answered."""
    upstream: tuple[str, int]
    stress: EpisodePerturber
    credential: str = field(default="", kw_only=True)
    """The password that the port asks for: no other process of this machine gets an answer."""
    open: bool = field(default=False, kw_only=True)
    """Whether the port answers without the credential: what is served to a person's browser does."""
    served_pages: Callable[[http.Request], http.Response | None] | None = field(default=None, kw_only=True)
    """Answers what is asked of `serve` itself, such as a reset, and returns None for the site's; None in an episode."""
    observer: PageObserver | None = field(default=None, kw_only=True)
    """Hears of the pages of an agent's own browser; None where we have a session with the browser."""
    evidence: bool = field(default=False, kw_only=True)
    """Whether the port is that of the browser that reads evidence, which is one for all episodes."""
    open_flows: int = 0
    started: int = 0
    faults: list[Fault] = field(default_factory=list)

    def at(self, host: str) -> Served | None:
        """Return the site that is asked for under a host; None for a foreign host."""
        return next((served for served in self.served if served.host == host), None)

    def script(self, served: Served, path: str) -> str:
        """Return the script of the document at a path of a site; empty if it gets none."""
        observing = "" if self.observer is None else self.observer.script(path)
        return observing + (self.stress.script(served.site, served.hosts, path) if self.stress.active else "")


def bind(flow: http.HTTPFlow, binding: Binding) -> None:
    """Say to which episode a flow belongs: by the time the answer comes, its port may stand for another one."""
    flow.metadata[_BINDING] = binding


def any_binding(flow: http.HTTPFlow) -> Binding | None:
    """Return the episode that a flow belongs to; None if it came by a connection of no episode."""
    return flow.metadata.get(_BINDING)


def binding_of(flow: http.HTTPFlow) -> Binding:
    """Return the episode of a flow that `Episodes` has let pass."""
    return cast(Binding, flow.metadata[_BINDING])


def serve_from(flow: http.HTTPFlow, served: Served) -> None:
    """Say for which site a flow asks."""
    flow.metadata[_SERVED] = served


def served_of(flow: http.HTTPFlow) -> Served:
    """Return the site of a flow that `Hosts` has let pass."""
    return cast(Served, flow.metadata[_SERVED])
