"""The episodes of the server: each is opened, played by whoever has its addresses, and finished once."""

import asyncio
import itertools
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from perturbations import modes_of
from runner.execution.grading_thread import GradingThread
from runner.execution.worker import Visit
from runner.external.gate import Guest
from runner.external.offer import Claim, Offer
from runner.external.participants import visitor
from runner.host.errors import FullError, OverError, UnknownEpisodeError
from runner.host.models import State, Wanted
from runner.host.run import HostRun
from runner.host.stage import Stage
from runner.registry import MODES, Library, client_agent
from stressweb.core.agent_spec import AgentSpec
from stressweb.core.conditions import Condition, parse
from stressweb.core.draws import digest
from stressweb.core.errors import InfrastructureError, UserError, first_line
from stressweb.log.recording import Cell, StepRecord


@dataclass
class Playing:
    """An episode that is open."""

    cell: Cell
    steps: list[StepRecord] = field(default_factory=list)
    offer: Offer | None = None
    guest: Guest | None = None
    begun: float = field(default_factory=time.monotonic)
    task: "asyncio.Task[None] | None" = None
    open: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def state(self) -> State:
        """Return its state: opening, open or grading."""
        if self.guest is None:
            return "opening"
        return "grading" if self.guest.claim.done() or self.guest.over.is_set() else "open"

    @property
    def seconds_left(self) -> float | None:
        """How many of its seconds are left."""
        return None if self.offer is None else max(0.0, self.begun + self.offer.seconds - time.monotonic())


class Episodes:
    """All episodes of the run behind the server, those of earlier servers included."""

    def __init__(
        self,
        run: HostRun,
        stage: Stage,
        grading_thread: GradingThread,
        library: Library,
        *,
        idle_s: float,
        most: int,
        version: str = "",
    ) -> None:
        """Take the run and where its episodes play; `most` may be open at a time, `version` is that of the agents.

        `idle_s` is after how many seconds without a word of a client an episode expires.
        """
        self._run, self._stage, self._grading_thread, self._library = run, stage, grading_thread, library
        self.idle_s, self._most, self._version = idle_s, most, version
        self._opening = asyncio.Lock()
        self._playing: dict[str, Playing] = {}
        self._known: dict[str, Cell] = {}
        self._ended: dict[str, str] = {}
        self._failed: dict[str, str] = {}
        """What failed in episodes that left no recording, by id."""
        self._tokens: dict[str, str] = {}

    async def load(self) -> tuple[int, list[Cell]]:
        """Read what earlier servers left: return how many episodes are finished, and the cells of those that are not.

        The latter were open when a server ended, or ended in an error.
        """
        ended = await self._grading_thread.do(self._run.ended)
        self._known = {id_of(cell): cell for cell in self._run.plan.opened or ()}
        self._ended = {id_of(cell): ended[cell.key] for cell in self._known.values() if cell.key in ended}
        lost = [cell for name, cell in self._known.items() if self._ended.get(name, "error") == "error"]
        return len(self._known) - len(lost), lost

    async def open(self, wanted: Wanted) -> tuple[str, Playing]:
        """Open an episode and return it with its id, when it can be played.

        It is the first repetition that has no episode yet. Raises UserError for what there is not, FullError, and
        InfrastructureError if its browser does not start.
        """
        condition, agent = _condition(wanted.condition), self._agent(wanted)
        self._library.task(wanted.task)
        async with self._opening:
            if len(self._playing) >= self._most:
                raise FullError(f"{len(self._playing)} episodes are open, as many as may be; finish one, or wait")
            cell = self._free(wanted, condition, agent)
            name, playing = id_of(cell), Playing(cell)
            self._playing[name] = playing
            try:
                await self._grading_thread.do(self._run.add, cell, condition, agent)
            except BaseException:
                del self._playing[name]
                raise
            self._known[name] = cell
        playing.task = asyncio.create_task(self._play(name, playing, condition, own_browser=wanted.own_browser))
        opened = asyncio.create_task(playing.open.wait())
        await asyncio.wait({playing.task, opened}, return_when=asyncio.FIRST_COMPLETED)
        opened.cancel()
        if not playing.open.is_set():
            raise InfrastructureError(self._failed.get(name) or "the episode could not be opened")
        return name, playing

    async def finish(self, name: str, claim: Claim) -> None:
        """Finish an episode and return when it is graded; raises UnknownEpisodeError, OverError."""
        playing = self._playing.get(name)
        if playing is None:
            raise OverError(f"episode {name} is over: {await self._how(name)}")
        if playing.guest is None or playing.guest.claim.done() or playing.guest.over.is_set():
            raise OverError(f"episode {name} was finished before, or has ended by itself")
        await playing.guest.finish(claim)
        assert playing.task is not None
        # A client that does not wait for the grade must not end the grading.
        await asyncio.shield(playing.task)

    def cell(self, name: str) -> Cell:
        """Return the cell of an episode; raises UnknownEpisodeError."""
        if name not in self._known:
            raise UnknownEpisodeError(f"there is no episode {name[:40]!r}")
        return self._known[name]

    def playing(self, name: str) -> Playing | None:
        """Return an episode that is open; None for any other."""
        return self._playing.get(name)

    def state(self, name: str) -> State:
        """Return the state of an episode that is not open: finished, error or lost."""
        if name in self._failed or self._ended.get(name) == "error":
            return "error"
        return "finished" if name in self._ended else "lost"

    def failure(self, name: str) -> str:
        """Return what failed in an episode that left no recording; empty for any other."""
        return self._failed.get(name, "")

    def recorded(self, name: str) -> bool:
        """Return whether an episode has a recording."""
        return name in self._ended and name not in self._failed

    def names(self) -> list[str]:
        """Return the ids of all episodes, in the order in which they were opened."""
        return list(self._known)

    def token(self, name: str) -> str:
        """Return the token of an episode that this server has opened; empty for any other."""
        return self._tokens.get(name, "")

    def tokens(self) -> Iterator[str]:
        """Yield the tokens of all episodes that this server has opened."""
        yield from self._tokens.values()

    async def read[Read](self, work: Callable[[Cell], Read], name: str) -> Read:
        """Return what some work reads of the recording of an episode."""
        return await self._grading_thread.do(work, self.cell(name))

    async def close(self) -> int:
        """End the episodes that are open, which are lost, and return how many there were."""
        tasks = [playing.task for playing in self._playing.values() if playing.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        return len(tasks)

    def _agent(self, wanted: Wanted) -> AgentSpec:
        return client_agent(wanted.agent, self._version, own_browser=wanted.own_browser)

    async def _play(self, name: str, playing: Playing, condition: Condition, *, own_browser: bool) -> None:
        def announce(offer: Offer, guest: Guest) -> None:
            playing.offer, playing.guest, playing.begun = offer, guest, time.monotonic()
            self._tokens[name] = offer.token
            playing.open.set()

        self._failed.pop(name, None)
        self._ended.pop(name, None)
        try:
            visit = Visit(condition, visitor(self.idle_s, announce), playing.steps.append, own_browser)
            record = await self._stage.play(playing.cell, visit)
            self._ended[name] = record.status
            if record.status == "error" and not playing.open.is_set():
                self._failed[name] = record.message
        # Whatever it is, the server goes on, and says it of this episode.
        except Exception as error:
            self._failed[name] = first_line(error)
        finally:
            del self._playing[name]

    async def _how(self, name: str) -> str:
        """Say how an episode that is not open has ended."""
        cell = self.cell(name)
        if not self.recorded(name):
            return self._failed.get(name) or "the server ended while it was open, and it is lost"
        episode = await self._grading_thread.do(self._run.episode, cell)
        return f"{episode.status}{f', {episode.message}' if episode.message else ''}"[:300]

    def _free(self, wanted: Wanted, condition: Condition, agent: AgentSpec) -> Cell:
        """Return the first repetition that is neither open nor finished."""
        for epoch in itertools.count():
            cell = Cell(
                agent=agent.label,
                task=wanted.task,
                condition=condition.label,
                world=wanted.seeds.world,
                stress=wanted.seeds.stress if condition.drawn else None,
                epoch=epoch,
            )
            name = id_of(cell)
            if name not in self._playing and self._ended.get(name, "error") == "error":
                return cell
        raise AssertionError("there is no end of numbers")


def id_of(cell: Cell) -> str:
    """Return the id of an episode: the same in every server of a run."""
    return digest("episode", cell.key, size=6).hex()


def _condition(text: str) -> Condition:
    """Return the condition of a text; raises UserError."""
    # Without plug-ins that the text names: who may open episodes may not load code.
    conditions = parse(text, MODES.names())
    if len(conditions) != 1:
        raise UserError(f"condition {text[:80]!r} is {len(conditions)} conditions, and an episode has one")
    # A parameter is known to its mode alone.
    modes_of(conditions[0])
    return conditions[0]


def deadline_of(playing: Playing) -> str:
    """Return when the seconds of an episode are over, in UTC."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + (playing.seconds_left or 0.0)))
