"""What forms submit."""

from urllib.parse import parse_qsl, urlencode

from mitmproxy import http

from perturbations.addons.binding import binding_of
from perturbations.addons.hooks import guarded
from perturbations.episode_perturber import EpisodePerturber


class Submissions:
    """Maps back what a mode changed in the fields of a form; what needs no mapping keeps its bytes."""

    @guarded
    def request(self, flow: http.HTTPFlow) -> None:
        """Map back the fields in the body and in the address of a request."""
        stress, request = binding_of(flow).stress, flow.request
        if not stress.active:
            return
        if request.headers.get("content-type", "").lower().startswith("application/x-www-form-urlencoded"):
            given = request.get_text(strict=False) or ""
            if (mapped := _mapped(given, stress)) is not None:
                request.text = mapped
        path, question, query = request.path.partition("?")
        if question and (mapped := _mapped(query, stress)) is not None:
            request.path = f"{path}?{mapped}"


def _mapped(encoded: str, stress: EpisodePerturber) -> str | None:
    pairs = parse_qsl(encoded, keep_blank_values=True)
    restored = [(stress.restore(name), stress.restore(value)) for name, value in pairs]
    # Encoding equal pairs again could spell them with other bytes than the browser sent: None leaves them alone.
    return urlencode(restored) if restored != pairs else None
