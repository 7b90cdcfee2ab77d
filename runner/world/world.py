"""A worker's world: the sites behind the proxy, and a pair of ports for each running episode."""

import itertools
import secrets
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from stressweb.core.conditions import Condition
from stressweb.core.draws import Seeds
from stressweb.core.errors import Fault, InfrastructureError
from stressweb.core.injections import AllowedInjections
from stressweb.core.task_id import CHAINS
from stressweb.perturbations import (
    AssetCache,
    Binding,
    EpisodePerturber,
    Episodes,
    PageObserver,
    ServedSite,
    modes_of,
    proxy_addons,
)
from stressweb.plugins.chain_world import address_of, joined
from stressweb.plugins.database import Snapshot, TableChange
from stressweb.plugins.site_world import SiteWorld
from stressweb.runner.world.proxy import ProxyThread
from stressweb.runner.world.sheets import Sheets
from stressweb.runner.world.site_server import Database, SiteServer


class World:
    """Sites, proxy and ports of one worker process. Starting it takes a second or more: mitmproxy is slow to import."""

    def __init__(self) -> None:
        """Start the site server and the proxy."""
        self.site_server = SiteServer()
        self.evidence_credential = secrets.token_urlsafe(24)
        """Password of all evidence ports, since the browser contexts that use them serve many episodes."""
        self.episodes = Episodes()
        self.proxy = ProxyThread(proxy_addons(self.episodes, self.site_server.key))
        self._idle: list[tuple[int, int]] = []
        self.sheets = Sheets(self.site_server)
        self._asset_caches: dict[tuple[str, int], AssetCache] = {}

    def open(
        self,
        site: SiteWorld,
        condition: Condition,
        seeds: Seeds,
        allowed_injections: AllowedInjections | None = None,
    ) -> "EpisodeWorld":
        """Open a fresh copy of a site under a condition.

        `allowed_injections` restricts the injections, to find the cause of a failure.
        """
        # Opening and closing a listener takes mitmproxy milliseconds, so ports are reused for the next episode.
        ports = self._idle.pop() if self._idle else tuple(self.proxy.listen("regular", "regular"))
        databases = {part.site: self.site_server.open(part) for part in site.parts}
        served = tuple(self.served(part, part.host, databases[part.site]) for part in site.parts)
        disturbed = self.perturber(condition, seeds, allowed_injections)
        # Each episode gets its own password, because an external agent learns it.
        agent = Binding(served, self.site_server.address, disturbed, credential=secrets.token_urlsafe(24))
        # Evidence has no database before `look_back`, since the last page of the previous episode may still send
        # requests.
        served = tuple(self.served(part, part.host, "") for part in site.parts)
        # Evidence is read from undisturbed pages under every condition.
        unstressed = EpisodePerturber([], seeds, active=False)
        evidence_binding = Binding(
            served,
            self.site_server.address,
            unstressed,
            serves_evidence_browser=True,
            credential=self.evidence_credential,
        )
        for port, binding in zip(ports, (agent, evidence_binding), strict=True):
            self.bind(port, binding)
        return EpisodeWorld(self, site, databases, (ports[0], ports[1]), (agent, evidence_binding))

    def open_directly(self, site: SiteWorld, database: str, stress: EpisodePerturber) -> tuple[int, Binding]:
        """Open a port that serves a site of an episode to a browser without a proxy."""
        (port,) = self.proxy.listen("reverse:http://{}:{}".format(*self.site_server.address))
        # Browsers send no password here, so access is protected by a secret host name.
        host = f"{secrets.token_hex(12)}.localhost:{port}"
        binding = Binding(
            (self.served(site, host, database),), self.site_server.address, stress, needs_no_credential=True
        )
        self.bind(port, binding)
        return port, binding

    def close(self) -> None:
        """Stop the proxy and the site server."""
        self.proxy.close()
        self.site_server.close()

    def perturber(
        self, condition: Condition, seeds: Seeds, allowed_injections: AllowedInjections | None = None
    ) -> EpisodePerturber:
        """Return the perturber for a condition."""
        return EpisodePerturber(
            modes_of(condition),
            seeds,
            active=condition.active,
            secret=secrets.token_bytes(16),
            allowed_injections=allowed_injections,
        )

    def bind(self, port: int, binding: Binding) -> None:
        """Bind a port to an episode's sites and perturber."""
        # A second binding would replace the first, and its episode would run undisturbed.
        if port in self.episodes.bindings:
            raise InfrastructureError(f"port {port} of the proxy is already bound")
        self.episodes.bindings[port] = binding

    def served(self, site: SiteWorld, host: str, database: str) -> ServedSite:
        """Return the `ServedSite` that serves a site under a host from a database."""
        # Cacheable responses depend only on the site's seed, so all episodes share the cache.
        cache = self._asset_caches.setdefault((site.site, site.seed), AssetCache(time.monotonic))
        hosts = frozenset((host, site.host))
        return ServedSite(site.site, host, hosts, database, cache)


class _Requests:
    """Counts the requests through a port."""

    def __init__(self, binding: Binding) -> None:
        self._binding = binding

    def busy(self) -> int:
        """Return the number of open requests."""
        return self._binding.open_flows

    def started(self) -> int:
        """Return the number of requests that have started."""
        return self._binding.started


class EpisodeWorld:
    """One episode's copy of a site, or of the sites of a chain.

    The agent's browser uses the proxy at `port`; evidence is read through `evidence_port`.
    """

    def __init__(
        self,
        world: World,
        site: SiteWorld,
        databases: Mapping[str, str],
        ports: tuple[int, int],
        bindings: tuple[Binding, Binding],
    ) -> None:
        """Called by `World.open`. `databases` names the database of each site."""
        self._world = world
        self._site = site
        self._databases = databases
        self.port, self.evidence_port = ports
        self._agent, self._evidence = bindings
        self.perturber = self._agent.stress
        """Disturbs the agent's pages and keeps the ledger."""
        self.credential = self._agent.credential
        """Password of the agent's port."""
        self.evidence_credential = world.evidence_credential
        self.start_url = f"http://{site.host}/"
        self.entries = frozenset(map(address_of, site.parts)) if site.site == CHAINS else frozenset()
        """Addresses that the goal of a chain names; navigating to them is not a bypass."""
        self._direct: tuple[int, Binding] | None = None
        """The port for a browser that uses no proxy, if the agent has one."""
        self._copies: list[str] = []
        self._unprovoked_counts: dict[str, int] | None = None

    def begin(self, step: int) -> None:
        """Record in the ledger that an action begins; steps are counted from 1."""
        # The agent cannot have caused faults before its first action, but may have caused later ones.
        if self._unprovoked_counts is None:
            self._unprovoked_counts = {site: len(state.faults) for site, state in self._states.items()}
        self.perturber.begin(step)

    @property
    def site(self) -> str:
        """The id of the site where the episode starts; keys depend on it."""
        return self._site.parts[0].site

    @property
    def hosts(self) -> tuple[str, ...]:
        """Hosts at which the site is served; keys do not depend on them."""
        return tuple(sorted(host for host, site in self.sites.items() if site == self.site))

    @property
    def sites(self) -> dict[str, str]:
        """Site ids by host, for all hosts that the agent may visit."""
        return {host: served.site for binding in self._agents for served in binding.served for host in served.hosts}

    def went_to(self, url: str) -> None:
        """Record a direct navigation to a URL, which bypasses the gestures that modes disturb."""
        if url not in self.entries:
            self.perturber.note("navigate", "bypass", detail=url)

    def read(
        self,
        url: str,
        answer: Mapping[str, Any] | None,
        controls: Sequence[Sequence[str]],
        *,
        more_frames: bool = False,
    ) -> None:
        """Process a read of the agent's page: the engine's answer, and key, role and name of each control.

        `more_frames`: other documents of the same page follow in this read.
        """
        parts = urlsplit(url)
        # Ignore the browser's own pages, such as an error page.
        if parts.scheme == "http" and parts.netloc in self.sites:
            self.perturber.read(parts.path, answer, controls, more_frames=more_frames)

    def observe(self, observer: PageObserver) -> None:
        """Let an observer watch the pages of a browser that the agent started, from the next document on."""
        for binding in self._agents:
            binding.observer = observer

    def open_directly(self) -> None:
        """Serve the site without the proxy at `direct_url`; does nothing for a chain, which has several sites."""
        if self._site.site != CHAINS:
            database = self._databases[self._site.site]
            self._direct = self._world.open_directly(self._site, database, self.perturber)

    @property
    def direct_url(self) -> str:
        """URL of the site for a browser without a proxy, with another host name; empty if there is none."""
        return "" if self._direct is None else f"http://{self._direct[1].served[0].host}/"

    def at_home(self, text: str) -> str:
        """Replace the host of `direct_url` in a text with the site's own host."""
        return text if self._direct is None else text.replace(self._direct[1].served[0].host, self._site.host)

    def busy(self) -> int:
        """Return the number of open requests of the agent's browser."""
        return sum(binding.open_flows for binding in self._agents)

    def started(self) -> int:
        """Return the number of requests that the agent's browser has started."""
        return sum(binding.started for binding in self._agents)

    @property
    def evidence_traffic(self) -> "_Requests":
        """Counts of the requests through the evidence port."""
        return _Requests(self._evidence)

    def faults(self) -> list[Fault]:
        """Return the infrastructure failures so far; any of them makes the episode an error.

        Site failures that the agent may have provoked are excluded. Otherwise a losing agent could turn its episode
        into an error, which counts in no rate.
        """
        bindings = (*self._agents, self._evidence)
        copies = (self._world.site_server.database(name).faults for name in self._copies)
        unprovoked = (
            state.faults[: None if self._unprovoked_counts is None else self._unprovoked_counts[site]]
            for site, state in self._states.items()
        )
        faults = (*(binding.faults for binding in bindings), *unprovoked, *copies)
        return list(itertools.chain(*faults))

    def provoked(self) -> list[Fault]:
        """Return the site failures that the agent may have provoked; each also has an entry in the ledger."""
        if self._unprovoked_counts is None:
            return []
        return [
            fault for site, state in self._states.items() for fault in state.faults[self._unprovoked_counts[site] :]
        ]

    def final(self) -> dict[str, TableChange]:
        """Return the changes of each table of the database since the start; unchanged tables are omitted.

        In a chain, the site's id is the prefix of each table name.
        """
        changes = {}
        for site in self._site.parts:
            state = self._states[site.site]
            # A request that the browser no longer waits for may still be writing.
            with state.lock:
                changes[site.site] = site.initial.changes_to(Snapshot.read(state.connection))
        return joined(changes) if self._site.site == CHAINS else changes[self._site.site]

    def sheets(self, urls: Iterable[str]) -> dict[str, str]:
        """Return the text of each style sheet among these URLs that the site itself serves.

        Call it after the episode, so that our requests do not mix with the agent's.
        """
        sheets = {}
        for url in dict.fromkeys(urls):
            parts = urlsplit(url)
            site = next((part for part in self._site.parts if part.host == parts.netloc), None)
            if parts.scheme == "http" and site is not None:
                path = parts._replace(scheme="", netloc="", fragment="").geturl()
                sheets[url] = self._world.sheets.text(site, self._databases[site.site], path)
        return {url: text for url, text in sheets.items() if text}

    def look_back(self, owner: str, address: str = "") -> Mapping[str, str]:
        """Serve a copy of the current database at the evidence port; return the cookies of a new session there.

        `address` selects a site of a chain; by default it is the site where the episode starts. The session belongs to
        `owner`: a person's key, a visitor's name, or "" for a first visit. It is independent of the agent's session,
        because the agent may have signed out or signed in as another person.
        """
        # Use a copy, because signing in and reading pages change the database, whose final state is graded.
        host = urlsplit(address).netloc or self._site.host
        site = next(part for part in self._site.parts if part.host == host)
        copy = self._world.site_server.copy(self._databases[site.site])
        served = self._evidence.served_at(host)
        assert served is not None
        served.database = copy
        self._copies.append(copy)
        return site.sign_in(self._world.site_server.database(copy).connection, owner)

    def close(self) -> None:
        """Release the ports and close the databases; later requests of this episode's browser are refused."""
        # Release the ports first: then the proxy refuses late requests, so none needs a closed database.
        direct = () if self._direct is None else self._direct[:1]
        for port in (self.port, self.evidence_port, *direct):
            self._world.episodes.bindings.pop(port, None)
        for database in (*self._databases.values(), *self._copies):
            self._world.site_server.close_database(database)
        self._world._idle.append((self.port, self.evidence_port))
        if self._direct is not None:
            self._world.proxy.release(self._direct[0])

    @property
    def _agents(self) -> Sequence[Binding]:
        """The bindings of the agent's browser."""
        return (self._agent,) if self._direct is None else (self._agent, self._direct[1])

    @property
    def _states(self) -> dict[str, Database]:
        return {site: self._world.site_server.database(name) for site, name in self._databases.items()}
