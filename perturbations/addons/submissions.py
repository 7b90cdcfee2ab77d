"""Submitted forms."""

from urllib.parse import parse_qsl, urlencode

from mitmproxy import http

from stressweb.perturbations.addons.binding import binding_of
from stressweb.perturbations.addons.hooks import guarded
from stressweb.perturbations.episode_perturber import EpisodePerturber


class Submissions:
    """Undoes the changes of the modes to submitted form fields; a form without changes keeps its bytes."""

    @guarded
    def request(self, flow: http.HTTPFlow) -> None:
        """Restore the fields in the body and the query of a request."""
        stress, request = binding_of(flow).stress, flow.request
        if not stress.active:
            return
        if request.headers.get("content-type", "").lower().startswith("application/x-www-form-urlencoded"):
            form = request.get_text(strict=False) or ""
            if (restored := _restored_names_and_values(form, stress)) is not None:
                request.text = restored
        path, question_mark, query = request.path.partition("?")
        if question_mark and (restored := _restored_names_and_values(query, stress)) is not None:
            request.path = f"{path}?{restored}"


def _restored_names_and_values(encoded: str, stress: EpisodePerturber) -> str | None:
    pairs = parse_qsl(encoded, keep_blank_values=True)
    restored_pairs = [(stress.restore(name), stress.restore(value)) for name, value in pairs]
    # None if nothing changes: encoding equal pairs again could change their bytes.
    return urlencode(restored_pairs) if restored_pairs != pairs else None
