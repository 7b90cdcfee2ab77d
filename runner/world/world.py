"""A worker's world: the sites behind the proxy, and one pair of ports for the episode under way."""

import itertools
import secrets
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from perturbations import (
    AssetCache,
    Binding,
    EpisodePerturber,
    Episodes,
    PageObserver,
    Served,
    modes_of,
    proxy_addons,
)
from runner.world.proxy import ProxyThread
from runner.world.sheets import Sheets
from runner.world.site_server import Database, SiteServer
from stressweb.core.conditions import Condition
from stressweb.core.draws import Seeds
from stressweb.core.errors import Fault, InfrastructureError
from stressweb.core.injections import Allowed
from stressweb.core.task_id import CHAINS
from stressweb.plugins.chain_world import address_of, joined
from stressweb.plugins.database import Snapshot, TableChange
from stressweb.plugins.site_world import SiteWorld


class World:
    """Sites, proxy and ports of one worker process. Starting it takes a second or more: mitmproxy is slow to import."""

    def __init__(self) -> None:
        """Start hosting and proxy."""
        self.site_server = SiteServer()
        self.evidence_credential = secrets.token_urlsafe(24)
        """What the ports ask for by which evidence is read: the contexts behind them serve many episodes."""
        self._secret = secrets.token_bytes(16)
        self.episodes = Episodes()
        self.proxy = ProxyThread(proxy_addons(self.episodes, self.site_server.key))
        self._idle: list[tuple[int, int]] = []
        self.sheets = Sheets(self.site_server)
        self._kept: dict[tuple[str, int], AssetCache] = {}

    def open(
        self, site: SiteWorld, condition: Condition, seeds: Seeds, mark_key: bytes, allowed: Allowed | None = None
    ) -> "EpisodeWorld":
        """Open a fresh copy of a site under a condition; `mark_key` is the episode's, 16 to 64 bytes.

        `allowed` holds injections back, where the cause of a failure is looked for.
        """
        # mitmproxy takes milliseconds to open a listener and to close one, so that ports are kept for the next episode.
        ports = self._idle.pop() if self._idle else tuple(self.proxy.listen("regular", "regular"))
        databases = {part.site: self.site_server.open(part) for part in site.parts}
        served = tuple(self.served(part, part.host, databases[part.site]) for part in site.parts)
        disturbed = self.perturber(condition, seeds, mark_key, allowed)
        # One for each episode: an agent that is a program of its own knows it.
        agent = Binding(served, self.site_server.address, disturbed, credential=secrets.token_urlsafe(24))
        # Until `look_back`, evidence has no database: the page that was read last may still ask for something.
        served = tuple(self.served(part, part.host, "") for part in site.parts)
        # Evidence is read from undisturbed pages, whatever the condition is.
        unstressed = EpisodePerturber([], seeds, mark_key, active=False)
        evidence = Binding(
            served, self.site_server.address, unstressed, evidence=True, credential=self.evidence_credential
        )
        for port, binding in zip(ports, (agent, evidence), strict=True):
            self.bind(port, binding)
        return EpisodeWorld(self, site, databases, (ports[0], ports[1]), (agent, evidence))

    def open_directly(self, site: SiteWorld, database: str, stress: EpisodePerturber) -> tuple[int, Binding]:
        """Open a port at which a browser that uses no proxy gets a site of an episode."""
        (port,) = self.proxy.listen("reverse:http://{}:{}".format(*self.site_server.address))
        # No browser has a password for it: whoever knows the name may come.
        host = f"{secrets.token_hex(12)}.localhost:{port}"
        binding = Binding((self.served(site, host, database),), self.site_server.address, stress, open=True)
        self.bind(port, binding)
        return port, binding

    def close(self) -> None:
        """End proxy and sites."""
        self.proxy.close()
        self.site_server.close()

    def perturber(
        self, condition: Condition, seeds: Seeds, key: bytes, allowed: Allowed | None = None
    ) -> EpisodePerturber:
        """Return what disturbs a site under a condition; `key` names the episode."""
        modes = modes_of(condition)
        return EpisodePerturber(modes, seeds, key, active=condition.active, secret=self._secret, allowed=allowed)

    def bind(self, port: int, binding: Binding) -> None:
        """Say what a port stands for."""
        # The later of two bindings would take the place of the first: an episode in which nothing is disturbed.
        if port in self.episodes.bindings:
            raise InfrastructureError(f"port {port} of the proxy is given twice")
        self.episodes.bindings[port] = binding

    def served(self, site: SiteWorld, host: str, database: str) -> Served:
        """Return a site as it is served under a host from a database."""
        # What a site lets be kept depends on its seed alone, so that all episodes share it.
        cache = self._kept.setdefault((site.site, site.seed), AssetCache(time.monotonic))
        hosts = frozenset((host, site.host))
        return Served(site.site, host, hosts, database, cache)


class _Requests:
    """The requests that come by a port."""

    def __init__(self, binding: Binding) -> None:
        self._binding = binding

    def busy(self) -> int:
        """Return how many are open."""
        return self._binding.open_flows

    def started(self) -> int:
        """Return how many have begun."""
        return self._binding.started


class EpisodeWorld:
    """One episode's copy of a site, or of those of a chain.

    The agent's browser goes by `port`, the evidence by `evidence_port`.
    """

    def __init__(
        self,
        world: World,
        site: SiteWorld,
        databases: Mapping[str, str],
        ports: tuple[int, int],
        bindings: tuple[Binding, Binding],
    ) -> None:
        """Tie the pieces together; made by `World.open`. `databases` names the database of each site."""
        self._world = world
        self._site = site
        self._databases = databases
        self.port, self.evidence_port = ports
        self._agent, self._evidence = bindings
        self.perturber = self._agent.stress
        """What disturbs the agent's pages, and keeps the ledger."""
        self.credential = self._agent.credential
        """What the agent's port asks for."""
        self.evidence_credential = world.evidence_credential
        self.start_url = f"http://{site.host}/"
        self.entries = frozenset(map(address_of, site.parts)) if site.site == CHAINS else frozenset()
        """Addresses to which the goal of a chain sends the agent: to go there is no bypass."""
        self._direct: tuple[int, Binding] | None = None
        """The port for a browser that uses no proxy, if the agent has one."""
        self._copies: list[str] = []
        self._ours: dict[str, int] | None = None

    def begin(self, step: int) -> None:
        """Tell the ledger that an action begins; steps count from 1."""
        # What failed up to the first action failed without the agent; later faults of the site may be its doing.
        if self._ours is None:
            self._ours = {site: len(state.faults) for site, state in self._states.items()}
        self.perturber.begin(step)

    @property
    def site(self) -> str:
        """The id of the site where the episode began, on which keys depend."""
        return self._site.parts[0].site

    @property
    def hosts(self) -> tuple[str, ...]:
        """Hosts at which the site is served, on which no key depends."""
        return tuple(sorted(host for host, site in self.sites.items() if site == self.site))

    @property
    def sites(self) -> dict[str, str]:
        """The id of the site at each host that the episode may visit."""
        return {host: served.site for binding in self._agents for served in binding.served for host in served.hosts}

    def went_to(self, url: str) -> None:
        """Take note that the agent has gone to an address directly: it bypasses the gestures that modes disturb."""
        if url not in self.entries:
            self.perturber.note("navigate", "bypass", detail=url)

    def read(
        self, url: str, answer: Mapping[str, Any] | None, controls: Sequence[Sequence[str]], *, more: bool = False
    ) -> None:
        """Take what a read of the agent's page found: the answer of its script, and key, role, name of its controls.

        `more` says that parts of the page answer this read after it.
        """
        parts = urlsplit(url)
        # What the browser shows of its own accord, such as an error page, is no document of the site.
        if parts.scheme == "http" and parts.netloc in self.sites:
            self.perturber.read(parts.path, answer, controls, more=more)

    def observe(self, observer: PageObserver) -> None:
        """Have somebody hear of the pages of the agent's browser, which is not ours, from the next document on."""
        for binding in self._agents:
            binding.observer = observer

    def open_directly(self) -> None:
        """Have a browser get the site without the proxy, at `direct_url`; not for a chain, which has several sites."""
        if self._site.site != CHAINS:
            database = self._databases[self._site.site]
            self._direct = self._world.open_directly(self._site, database, self.perturber)

    @property
    def direct_url(self) -> str:
        """Where a browser gets the site without the proxy; empty if it cannot. What it shows is at another host."""
        return "" if self._direct is None else f"http://{self._direct[1].served[0].host}/"

    def at_home(self, text: str) -> str:
        """Return a text in which the site is at its own host, wherever the agent's browser has got it."""
        return text if self._direct is None else text.replace(self._direct[1].served[0].host, self._site.host)

    def busy(self) -> int:
        """Return how many flows of the agent's browser are open."""
        return sum(binding.open_flows for binding in self._agents)

    def started(self) -> int:
        """Return how many flows of the agent's browser have begun."""
        return sum(binding.started for binding in self._agents)

    @property
    def evidence_traffic(self) -> "_Requests":
        """The requests of the browser that reads evidence."""
        return _Requests(self._evidence)

    def faults(self) -> list[Fault]:
        """Return our own failures so far: an episode that has one is an error.

        A failure of the site in the answer to what the agent did is not among them: else an agent that is losing could
        make its episode an error, which is in no rate.
        """
        bindings = (*self._agents, self._evidence)
        copies = (self._world.site_server.database(name).faults for name in self._copies)
        before = (
            state.faults[: None if self._ours is None else self._ours[site]] for site, state in self._states.items()
        )
        faults = (*(binding.faults for binding in bindings), *before, *copies)
        return list(itertools.chain(*faults))

    def provoked(self) -> list[Fault]:
        """Return what failed in the site in the answer to what the agent did; the ledger has a line for each."""
        if self._ours is None:
            return []
        return [fault for site, state in self._states.items() for fault in state.faults[self._ours[site] :]]

    def final(self) -> dict[str, TableChange]:
        """Return how each table of the database differs from the start; tables that do not differ are left out.

        In a chain, the name of a table begins with that of its site.
        """
        changes = {}
        for site in self._site.parts:
            state = self._states[site.site]
            # A request that the browser no longer waits for may still be writing.
            with state.lock:
                changes[site.site] = site.initial.changes_to(Snapshot.read(state.connection))
        return joined(changes) if self._site.site == CHAINS else changes[self._site.site]

    def sheets(self, urls: Iterable[str]) -> dict[str, str]:
        """Return the text of each style sheet of the site itself among these URLs, as the site serves it.

        Called when the episode is over, so that no request of ours is among the agent's.
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
        """Have the evidence port serve a copy of a database as it is now; return the cookies of a session there.

        `address` is that of a site of a chain; without one, it is the site where the episode began. The session is that
        of `owner`: a person's key, a visitor's name, or "" for a first visit. The copy keeps what is read as evidence
        apart from where the agent went: it may have signed out, or signed in as somebody else.
        """
        # A copy, because signing in and reading pages also change the database: the final one is what the agent left.
        host = urlsplit(address).netloc or self._site.host
        site = next(part for part in self._site.parts if part.host == host)
        copy = self._world.site_server.copy(self._databases[site.site])
        served = self._evidence.served_at(host)
        assert served is not None
        served.database = copy
        self._copies.append(copy)
        return site.sign_in(self._world.site_server.database(copy).connection, owner)

    def close(self) -> None:
        """Give the ports back and forget the database; what still comes from this episode's browser is refused."""
        # The ports come first: from then on the proxy refuses what the old browser still sends, and no request looks
        # for a database that is gone.
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
        """What the agent's browser comes by."""
        return (self._agent,) if self._direct is None else (self._agent, self._direct[1])

    @property
    def _states(self) -> dict[str, Database]:
        return {site: self._world.site_server.database(name) for site, name in self._databases.items()}
