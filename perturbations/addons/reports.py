"""What the script in a page reports."""

from mitmproxy import http

from perturbations.addons.binding import binding_of
from perturbations.addons.hooks import answer, guarded
from perturbations.episode_perturber import ReportError


class Reports:
    """Takes the reports of the episode's pages."""

    @guarded
    def request(self, flow: http.HTTPFlow) -> None:
        """Answer a report, or refuse one that no page of ours sends: it must not void the episode of an agent."""
        stress = binding_of(flow).stress
        if not stress.active or not flow.request.path.startswith(stress.report_path + "/"):
            return
        try:
            stress.reported(flow.request.path, flow.request.content or b"")
        except ReportError as error:
            stress.note("world", "blocked", detail=str(error))
            answer(flow, http.Response.make(400, b"Bad request"))
        answer(flow, http.Response.make(204))
