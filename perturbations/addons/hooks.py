"""Ways for an addon's hook to end: pass the flow on, answer it, or fail."""

import traceback
from collections.abc import Callable
from functools import wraps
from pathlib import PurePath
from typing import NoReturn

from mitmproxy import http
from mitmproxy.exceptions import AddonHalt

from stressweb.core.errors import Fault
from stressweb.core.tracebacks import trace_of
from stressweb.perturbations.addons.binding import binding_or_none

_OURS = "ours"

type Hook[Addon] = Callable[[Addon, http.HTTPFlow], None]


def answer(flow: http.HTTPFlow, response: http.Response) -> NoReturn:
    """Answer a request in place of the site; no addon after this one sees it."""
    _respond(flow, response)
    raise AddonHalt


def is_ours(flow: http.HTTPFlow) -> bool:
    """Return whether a flow has been answered in place of the site."""
    return _OURS in flow.metadata


def guarded[Addon](hook: Hook[Addon]) -> Hook[Addon]:
    """Record an exception in a hook as a fault of the flow's episode, and skip the addons after it.

    The request is answered with a 502. If response headers have already arrived, the site's bytes pass instead.
    """

    @wraps(hook)
    def run(addon: Addon, flow: http.HTTPFlow) -> None:
        try:
            # mitmproxy would only log the exception and let the flow pass.
            hook(addon, flow)
        except AddonHalt:
            raise
        except Exception as error:
            if (binding := binding_or_none(flow)) is not None:
                binding.faults.append(fault_of(error))
            if flow.response is None and flow.error is None:
                _respond(flow, http.Response.make(502, b"Bad gateway"))
            raise AddonHalt from error

    return run


def _respond(flow: http.HTTPFlow, response: http.Response) -> None:
    flow.response = response
    flow.metadata[_OURS] = True


def fault_of(error: Exception) -> Fault:
    """Return an exception of our code as a fault: type, message, file and line, and traceback."""
    where = traceback.extract_tb(error.__traceback__)[-1]
    message = f"{type(error).__name__}: {error} ({PurePath(where.filename).name}:{where.lineno})"
    return Fault(message, trace_of(error))
