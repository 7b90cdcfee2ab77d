"""Reports of the script in a page."""

from mitmproxy import http

from stressweb.perturbations.addons.binding import binding_of
from stressweb.perturbations.addons.hooks import answer, guarded
from stressweb.perturbations.episode_perturber import ReportError


class Reports:
    """Takes the reports of the episode's pages."""

    @guarded
    def request(self, flow: http.HTTPFlow) -> None:
        """Answer a report; refuse reports that the script never sends, so that an agent cannot void its episode."""
        stress = binding_of(flow).stress
        if not stress.active or not flow.request.path.startswith(stress.report_path + "/"):
            return
        try:
            stress.take_report(flow.request.path, flow.request.content or b"")
        except ReportError as error:
            stress.note("world", "blocked", detail=str(error))
            answer(flow, http.Response.make(400, b"Bad request"))
        answer(flow, http.Response.make(204))
