"""Messages of the script that observes an agent's own browser."""

from mitmproxy import http

from stressweb.perturbations.addons.binding import binding_of
from stressweb.perturbations.addons.hooks import answer, guarded
from stressweb.perturbations.episode_perturber import ReportError


class ObservedPages:
    """Receives the script's messages; it sends them only if we do not control the browser ourselves."""

    @guarded
    def request(self, flow: http.HTTPFlow) -> None:
        """Answer a message; refuse messages that the script never sends, so that an agent cannot void its episode."""
        binding = binding_of(flow)
        if binding.observer is None:
            return
        try:
            reply = binding.observer.message(flow.request.path, flow.request.content or b"")
        except ReportError as error:
            binding.stress.note("world", "blocked", detail=str(error))
            answer(flow, http.Response.make(400, b"Bad request"))
        if reply is not None:
            answer(flow, http.Response.make(200, reply, {"Content-Type": "application/json"}))
