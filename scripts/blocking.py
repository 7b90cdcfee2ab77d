"""Runs the runner's asynchronous functions and classes from tests and scripts that use Playwright's synchronous API.

Both APIs wrap the same objects, and the synchronous one has an event loop. Our coroutines run on this loop, with the
pages of the test, while the test waits.
"""

import asyncio
import functools
import inspect
from collections.abc import Callable, Coroutine
from typing import Any

from playwright._impl._async_base import AsyncBase
from playwright._impl._async_base import mapping as asynchronous
from playwright._impl._impl_to_api_mapping import ImplToApiMapping, ImplWrapper
from playwright._impl._sync_base import SyncBase
from playwright._impl._sync_base import mapping as synchronous
from playwright.sync_api import Browser, Playwright

_WRAPPER = "_stressweb_asynchronous"


class _Apart(ImplToApiMapping):
    """Adds asynchronous wrappers to Playwright's objects, which already have synchronous ones."""

    def from_maybe_impl(self, obj: Any, visited: Any = None) -> Any:
        kind = self._mapping.get(getattr(obj, "_api_impl_class", type(obj)))
        if not obj or kind is None:
            return super().from_maybe_impl(obj, visited)
        if not hasattr(obj, _WRAPPER):
            setattr(obj, _WRAPPER, kind(obj))
        return getattr(obj, _WRAPPER)


asynchronous.__class__ = _Apart
_LOOPS: list[Any] = []
"""The browser or driver of the tests, whose loop runs the coroutines."""


def use(loop_owner: Browser | Playwright) -> None:
    """From now on, run coroutines on the loop of this browser or driver."""
    _LOOPS[:] = [loop_owner]


def run(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """Run a coroutine on the loop of the tests' browser, or on a loop without a browser, and return its result."""
    if not _LOOPS:
        _LOOPS.append(_Plain())
    return _out(_LOOPS[-1]._sync(coroutine))


class _Plain:
    """A loop for tests that open no browser; `use` replaces it."""

    def __init__(self) -> None:
        self._runner = asyncio.Runner()

    def _sync(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        return self._runner.run(coroutine)


def blocking(it: Any) -> Any:
    """Return a function or class that behaves like `it`, but waits for coroutines and returns their results."""
    if inspect.isclass(it):
        return functools.wraps(it, updated=())(lambda *args, **named: _Blocking(_call(it, args, named)))
    return _waiting(it)


class _Blocking:
    """Wraps an object so that its asynchronous methods wait."""

    def __init__(self, it: Any) -> None:
        object.__setattr__(self, "_it", it)

    def __getattr__(self, name: str) -> Any:
        return _out(getattr(self._it, name))

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._it, name, asynchronous_of(value))

    def __enter__(self) -> Any:
        return run(self._it.__aenter__())

    def __exit__(self, *error: Any) -> Any:
        return run(self._it.__aexit__(*error))


def _call(it: Callable[..., Any], args: Any, named: Any) -> Any:
    return it(*map(asynchronous_of, args), **{name: asynchronous_of(value) for name, value in named.items()})


def _waiting(it: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(it)
    def waits(*args: Any, **named: Any) -> Any:
        async def call() -> Any:
            outcome = _call(it, args, named)
            if hasattr(outcome, "__aiter__"):
                return [member async for member in outcome]
            return await outcome if inspect.iscoroutine(outcome) else outcome

        # Make the call itself on the loop, because it may ask for the running loop.
        return run(call())

    return waits


def asynchronous_of(value: Any) -> Any:
    """Return a value as asynchronous code needs it."""
    if isinstance(value, SyncBase):
        return asynchronous.from_impl(value._impl_obj)
    return value._it if isinstance(value, _Blocking) else value


def _out(value: Any) -> Any:
    """Return a value as a test needs it."""
    if isinstance(value, AsyncBase):
        return synchronous.from_impl(value._impl_obj)
    if isinstance(value, ImplWrapper | type) or not _has_async_methods(value):
        return value
    return _waiting(value) if inspect.isroutine(value) else _Blocking(value)


def _has_async_methods(value: Any) -> bool:
    """Return whether a value has asynchronous methods, which a test cannot await."""
    if inspect.isroutine(value) or hasattr(value, "__aenter__"):
        return True
    kind = type(value)
    return kind.__module__.startswith(("stressweb.runner.", "stressweb.sources.")) and any(
        inspect.iscoroutinefunction(method) for method in vars(kind).values()
    )
