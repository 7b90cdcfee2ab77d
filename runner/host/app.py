"""The episode server's HTTP API with its OpenAPI description; the documentation page needs no network."""

import secrets
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from fastapi import Depends, FastAPI, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, RedirectResponse
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from fastapi_offline import FastAPIOffline

from stressweb.core.errors import DiskFullError, InfrastructureError, UserError
from stressweb.core.task_id import site_of
from stressweb.core.validation import sentence
from stressweb.log.ledger import Entry
from stressweb.log.recording import Cell, StepRecord
from stressweb.plugins.actions import Action, Outcome
from stressweb.runner.external.offer import Claim
from stressweb.runner.host.browser_command import browser_command
from stressweb.runner.host.episodes import Episodes, Playing, deadline_of
from stressweb.runner.host.errors import FullError, OverError, UnknownEpisodeError
from stressweb.runner.host.models import (
    ConditionLine,
    EpisodeState,
    Graded,
    Opened,
    Seeds,
    State,
    Step,
    TaskLine,
    Wanted,
)
from stressweb.runner.host.run import HostRun
from stressweb.runner.registry import Library, inventory, task_ids

_STATUSES: dict[type[Exception], int] = {
    UnknownEpisodeError: 404,
    OverError: 409,
    FullError: 429,
    UserError: 422,
    DiskFullError: 507,
    InfrastructureError: 500,
}
_ABOUT = (
    "Open an episode, play it with any agent that can drive a browser, and finish it: the answer is its grade. "
    "Every request has the header `Authorization: Bearer TOKEN` with the token that `stressweb host` printed; "
    "an episode's own token reads the state of that episode and finishes it."
)
_BEARER = HTTPBearer(auto_error=False)

type Credentials = Annotated[HTTPAuthorizationCredentials | None, Depends(_BEARER)]


def create_app(token: str) -> FastAPI:
    """Return the application without its routes for episodes, which `serve_episodes` adds."""
    app: FastAPI = FastAPIOffline(title="stressweb host", description=_ABOUT, redoc_url=None)
    app.state.token = token
    for error_type in _STATUSES:
        app.add_exception_handler(error_type, _error_response)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_api_route("/", _home, include_in_schema=False)
    return app


def _home() -> RedirectResponse:
    return RedirectResponse("/docs")


async def _error_response(request: Request, error: Exception) -> JSONResponse:
    """Return the error as one line."""
    status = next(code for error_type, code in _STATUSES.items() if isinstance(error, error_type))
    headers = {"Retry-After": "5"} if isinstance(error, FullError) else {}
    return JSONResponse({"detail": " ".join(str(error).split())}, status, headers)


async def _invalid(request: Request, error: Exception) -> JSONResponse:
    """Return the first problem of an invalid request as one line: the field's path and the reason."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    field_path = ".".join(map(str, first["loc"][1:])) or str(first["loc"][0])
    return JSONResponse({"detail": f"{field_path}: {sentence(first)}"}, 422)


def serve_episodes(app: FastAPI, address: str, run: HostRun, episodes: Episodes, scratch: Path) -> None:
    """Add all routes; `address` is HOST:PORT of the server, `scratch` a folder for files that MCP tools write."""
    operator, holder = Depends(partial(_operator, app, episodes)), Depends(partial(_holder, app, episodes))
    views = Views(address, run, episodes, scratch)
    add, several = app.add_api_route, {"dependencies": [operator]}
    _add_route(add, "/tasks", views.tasks, **several)
    _add_route(add, "/conditions", views.conditions, **several)
    _add_route(add, "/episodes", views.open, methods=["POST"], status_code=201, **several)
    _add_route(add, "/episodes", views.all, **several)
    _add_route(add, "/episodes/{name}", views.state, dependencies=[holder])
    _add_route(add, "/episodes/{name}/finish", views.finish, methods=["POST"], dependencies=[holder])
    # An episode's own token is not enough: its agent could read here what is disturbed.
    _add_route(add, "/episodes/{name}/steps", views.steps, **several)
    _add_route(add, "/episodes/{name}/ledger", views.ledger, **several)


def _add_route(add: Callable[..., object], path: str, view: Callable[..., Any], **options: Any) -> None:
    add(path, view, summary=(view.__doc__ or "").split(";")[0].split(".")[0], **options)


def _operator(app: FastAPI, episodes: Episodes, credentials: Credentials) -> None:
    """Raise HTTPException unless a request has the server's token."""
    if _has_token(credentials, app.state.token):
        return
    if any(_has_token(credentials, token) for token in episodes.tokens()):
        raise HTTPException(403, "an episode's token reads its state and finishes it; this needs the server's token")
    raise _unauthorized("the token is not the one that `stressweb host` printed")


def _holder(app: FastAPI, episodes: Episodes, name: str, credentials: Credentials) -> None:
    """Raise HTTPException unless a request has the token of the server or of this episode."""
    if _has_token(credentials, app.state.token):
        return
    if _has_token(credentials, episodes.token(name)):
        return
    if any(_has_token(credentials, token) for token in episodes.tokens()):
        raise HTTPException(403, "this is the token of another episode")
    raise _unauthorized("the token is neither the server's nor the episode's")


def _has_token(credentials: HTTPAuthorizationCredentials | None, token: str) -> bool:
    presented_token = credentials.credentials if credentials is not None else ""
    return bool(token) and secrets.compare_digest(presented_token.encode(), token.encode())


def _unauthorized(reason: str) -> HTTPException:
    return HTTPException(401, f"{reason}; send it as `Authorization: Bearer TOKEN`", {"WWW-Authenticate": "Bearer"})


class Views:
    """The view functions."""

    def __init__(self, address: str, run: HostRun, episodes: Episodes, scratch: Path) -> None:
        """Take HOST:PORT of the server, its run and episodes, and a folder for files that MCP tools write."""
        self._address, self._run, self._episodes, self._scratch = address, run, episodes, scratch
        # `tasks` and `conditions` run in threads, so they need a library of their own.
        self._library = Library()

    def tasks(self, *, cases: bool = False) -> list[TaskLine]:
        """List the tasks, or the test cases; the goal is drawn when you open an episode."""
        if cases:
            return [TaskLine(task=case, site=site_of(case), tags=[]) for case in self._library.case_ids()]
        tasks = (self._library.task(name) for name in task_ids())
        return [TaskLine(task=task.id, site=site_of(task.id), tags=list(task.tags)) for task in tasks]

    def conditions(self) -> list[ConditionLine]:
        """List the conditions; modes can be joined by +, as in noise@2+popup@4."""
        without_severity = {"clean": "Nothing is disturbed.", "sham": "The machinery runs, but nothing is disturbed."}
        modes = [
            ConditionLine(
                condition=line["mode"],
                does=line["does"],
                severities=[f"{line['mode']}@{severity}" for severity in line["severities"]],
            )
            for line in inventory.list_modes()
        ]
        return [
            ConditionLine(condition=name, does=does, severities=[]) for name, does in without_severity.items()
        ] + modes

    async def open(self, wanted: Wanted) -> Opened:
        """Open an episode; the response is sent when the episode is ready."""
        name, playing = await self._episodes.open(wanted)
        offer, cell = playing.offer, playing.cell
        assert offer is not None
        return Opened(
            id=name,
            token=offer.token,
            goal=offer.goal,
            start_url=offer.start_url,
            cdp_url=None if offer.own_browser else offer.cdp_url,
            direct_url=offer.direct_url or None,
            files=offer.files,
            proxy=offer.proxy,
            finish_url=f"http://{self._address}/episodes/{name}/finish",
            mcp=None if offer.own_browser else browser_command(offer.cdp_url, self._scratch / name),
            **_cell_fields(cell),
            max_steps=offer.max_steps,
            seconds=offer.seconds,
            idle_seconds=self._episodes.idle_s,
            deadline=deadline_of(playing),
        )

    async def all(self) -> list[EpisodeState]:
        """List all episodes, including those of earlier servers of this folder."""
        return [await self.state(name) for name in self._episodes.names()]

    async def state(self, name: str) -> EpisodeState:
        """Return the state of an episode."""
        cell = self._episodes.cell(name)
        if playing := self._episodes.playing(name):
            return _playing_state(name, playing)
        state: State = self._episodes.state(name)
        if not self._episodes.recorded(name):
            failed = self._episodes.failure(name)
            status = "error" if failed else None
            return EpisodeState(id=name, state=state, **_cell_fields(cell), status=status, message=failed)
        ended = await self._episodes.read(self._run.episode, name)
        return EpisodeState(
            id=name,
            state=state,
            **_cell_fields(cell),
            steps=ended.steps,
            status=ended.status,
            claim=ended.claim,
            message=ended.message,
            grade=None if ended.grade is None else Graded.of(ended.grade),
        )

    async def finish(self, name: str, claim: Claim) -> EpisodeState:
        """Finish an episode and return its grade."""
        await self._episodes.finish(name, claim)
        return await self.state(name)

    async def steps(self, name: str) -> list[Step]:
        """List the steps of an episode so far."""
        if playing := self._episodes.playing(name):
            return [
                _step(number, step.action, step.outcome, step.page.url, step)
                for number, step in enumerate(playing.steps)
            ]
        if not self._episodes.recorded(name):
            self._episodes.cell(name)
            return []
        details = await self._episodes.read(self._run.details, name)
        recorded = await self._episodes.read(lambda cell: self._run.store.steps(details), name)
        return [_step(number, step.action, step.outcome, step.url, step) for number, step in enumerate(recorded)]

    async def ledger(self, name: str) -> list[Entry]:
        """List what was planned, delivered, met and overcome in an episode so far."""
        if playing := self._episodes.playing(name):
            return list(playing.guest.ledger) if playing.guest is not None else []
        if not self._episodes.recorded(name):
            self._episodes.cell(name)
            return []
        return (await self._episodes.read(self._run.details, name)).ledger


def _cell_fields(cell: Cell) -> dict[str, Any]:
    return {
        "agent": cell.agent,
        "task": cell.task,
        "condition": cell.condition,
        "seeds": Seeds(world=cell.world, stress=cell.stress or 0),
        "epoch": cell.epoch,
    }


def _playing_state(name: str, playing: Playing) -> EpisodeState:
    return EpisodeState(
        id=name,
        state=playing.state,
        **_cell_fields(playing.cell),
        steps=sum(step.action is not None for step in playing.steps),
        clients=playing.guest.clients if playing.guest is not None else 0,
        seconds_left=playing.seconds_left,
    )


def _step(number: int, action: Action | None, outcome: Outcome | None, url: str, step: StepRecord | Any) -> Step:
    return Step(
        step=number,
        action=None if action is None else action.model_dump(exclude_defaults=True),
        ok=None if outcome is None else outcome.ok,
        url=url,
        seconds=step.seconds,
    )
