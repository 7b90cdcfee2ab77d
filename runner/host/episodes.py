"""The server's episodes: each is opened, played by a client that has its addresses, and finished once."""

import asyncio
import itertools
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from stressweb.core.agent_spec import AgentSpec
from stressweb.core.conditions import Condition, parse
from stressweb.core.draws import digest
from stressweb.core.errors import InfrastructureError, UserError, first_line
from stressweb.log.recording import Cell, StepRecord
from stressweb.perturbations import modes_of
from stressweb.runner.execution.grading_thread import GradingThread
from stressweb.runner.execution.worker import Visit
from stressweb.runner.external.gate import Guest
from stressweb.runner.external.offer import Claim, Offer
from stressweb.runner.external.participants import visitor
from stressweb.runner.host.errors import FullError, OverError, UnknownEpisodeError
from stressweb.runner.host.models import State, Wanted
from stressweb.runner.host.run import HostRun
from stressweb.runner.host.stage import Stage
from stressweb.runner.registry import MODES, Library, client_agent


@dataclass
class Playing:
    """An open episode."""

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
        """Seconds until its time limit; None while it is opening."""
        return None if self.offer is None else max(0.0, self.begun + self.offer.seconds - time.monotonic())


class Episodes:
    """All episodes of the server's run, including those of earlier servers."""

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
        """Take the run and the stage that plays its episodes.

        An episode expires after `idle_s` seconds without activity of a client. At most `most` episodes are open at a
        time. `version` is the version of the agents.
        """
        self._run, self._stage, self._grading_thread, self._library = run, stage, grading_thread, library
        self.idle_s, self._most, self._version = idle_s, most, version
        self._opening = asyncio.Lock()
        self._playing: dict[str, Playing] = {}
        self._known: dict[str, Cell] = {}
        self._ended: dict[str, str] = {}
        self._failed: dict[str, str] = {}
        """Error messages of episodes without a recording, by id."""
        self._tokens: dict[str, str] = {}

    async def load(self) -> tuple[int, list[Cell]]:
        """Load the episodes of earlier servers; return the number of finished ones and the cells of the others.

        The others were open when a server stopped, or ended with an error.
        """
        ended = await self._grading_thread.do(self._run.ended)
        self._known = {id_of(cell): cell for cell in self._run.plan.opened or ()}
        self._ended = {id_of(cell): ended[cell.key] for cell in self._known.values() if cell.key in ended}
        lost = [cell for name, cell in self._known.items() if self._ended.get(name, "error") == "error"]
        return len(self._known) - len(lost), lost

    async def open(self, wanted: Wanted) -> tuple[str, Playing]:
        """Open an episode; return its id and the episode once it is ready.

        Opens the first repetition that has no episode yet. Raises UserError for an unknown task or condition, FullError
        if too many episodes are open, and InfrastructureError if the browser does not start.
        """
        condition, agent = _condition(wanted.condition), self._agent(wanted)
        self._library.task(wanted.task)
        async with self._opening:
            if len(self._playing) >= self._most:
                raise FullError(f"{len(self._playing)} episodes are open, which is the limit; finish one, or wait")
            cell = self._free_cell(wanted, condition, agent)
            name, playing = id_of(cell), Playing(cell)
            self._playing[name] = playing
            try:
                await self._grading_thread.do(self._run.add, cell, condition, agent)
            except BaseException:
                del self._playing[name]
                raise
            self._known[name] = cell
        playing.task = asyncio.create_task(self._play(name, playing, condition, own_browser=wanted.own_browser))
        is_open = asyncio.create_task(playing.open.wait())
        await asyncio.wait({playing.task, is_open}, return_when=asyncio.FIRST_COMPLETED)
        is_open.cancel()
        if not playing.open.is_set():
            raise InfrastructureError(self._failed.get(name) or "the episode could not be opened")
        return name, playing

    async def finish(self, name: str, claim: Claim) -> None:
        """Finish an episode and wait until it is graded; raise UnknownEpisodeError or OverError."""
        playing = self._playing.get(name)
        if playing is None:
            raise OverError(f"episode {name} is over: {await self._ending(name)}")
        if playing.guest is None or playing.guest.claim.done() or playing.guest.over.is_set():
            raise OverError(f"episode {name} has already ended")
        await playing.guest.finish(claim)
        assert playing.task is not None
        # Grading must continue even if the client disconnects before it is done.
        await asyncio.shield(playing.task)

    def cell(self, name: str) -> Cell:
        """Return the cell of an episode; raise UnknownEpisodeError if there is none."""
        if name not in self._known:
            raise UnknownEpisodeError(f"there is no episode {name[:40]!r}")
        return self._known[name]

    def playing(self, name: str) -> Playing | None:
        """Return an open episode; None if the episode is not open."""
        return self._playing.get(name)

    def state(self, name: str) -> State:
        """Return the state of an episode that is not open: finished, error or lost."""
        if name in self._failed or self._ended.get(name) == "error":
            return "error"
        return "finished" if name in self._ended else "lost"

    def failure(self, name: str) -> str:
        """Return the error message of an episode without a recording; empty for other episodes."""
        return self._failed.get(name, "")

    def recorded(self, name: str) -> bool:
        """Return whether an episode has a recording."""
        return name in self._ended and name not in self._failed

    def names(self) -> list[str]:
        """Return the ids of all episodes in the order they were opened."""
        return list(self._known)

    def token(self, name: str) -> str:
        """Return the token of an episode that this server opened; empty for other episodes."""
        return self._tokens.get(name, "")

    def tokens(self) -> Iterator[str]:
        """Yield the tokens of all episodes that this server opened."""
        yield from self._tokens.values()

    async def read[Read](self, work: Callable[[Cell], Read], name: str) -> Read:
        """Return the result of `work` on an episode's cell, run in the grading thread."""
        return await self._grading_thread.do(work, self.cell(name))

    async def close(self) -> int:
        """Cancel all open episodes and return their number."""
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
        # Any failure ends only this episode; the server continues.
        except Exception as error:
            self._failed[name] = first_line(error)
        finally:
            del self._playing[name]

    async def _ending(self, name: str) -> str:
        """Describe how an episode has ended."""
        cell = self.cell(name)
        if not self.recorded(name):
            return self._failed.get(name) or "it was lost when the server stopped"
        episode = await self._grading_thread.do(self._run.episode, cell)
        return f"{episode.status}{f', {episode.message}' if episode.message else ''}"[:300]

    def _free_cell(self, wanted: Wanted, condition: Condition, agent: AgentSpec) -> Cell:
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
        raise AssertionError("unreachable: epochs are unlimited")


def id_of(cell: Cell) -> str:
    """Return the id of an episode, which is the same in every server of a run."""
    return digest("episode", cell.key, size=6).hex()


def _condition(text: str) -> Condition:
    """Parse a condition; raise UserError if it is invalid."""
    # Do not load plug-ins that the text names: clients must not be able to load code.
    conditions = parse(text, MODES.names())
    if len(conditions) != 1:
        raise UserError(f"condition {text[:80]!r} names {len(conditions)} conditions; an episode has exactly one")
    # Raises UserError for an invalid parameter, which only the mode itself can check.
    modes_of(conditions[0])
    return conditions[0]


def deadline_of(playing: Playing) -> str:
    """Return the time in UTC at which an episode reaches its time limit."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + (playing.seconds_left or 0.0)))
