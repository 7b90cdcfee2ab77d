"""What the script reports that observes an agent's own browser."""

from mitmproxy import http

from perturbations.addons.binding import binding_of
from perturbations.addons.hooks import answer, guarded
from perturbations.episode_perturber import ReportError


class ObservedPages:
    """Takes the messages of the script; where we have a session with the browser, there are none."""

    @guarded
    def request(self, flow: http.HTTPFlow) -> None:
        """Answer a message, or refuse one that no page of ours sends: it must not void the episode of an agent."""
        binding = binding_of(flow)
        if binding.observer is None:
            return
        try:
            said = binding.observer.message(flow.request.path, flow.request.content or b"")
        except ReportError as error:
            binding.stress.note("world", "blocked", detail=str(error))
            answer(flow, http.Response.make(400, b"Bad request"))
        if said is not None:
            answer(flow, http.Response.make(200, said, {"Content-Type": "application/json"}))
