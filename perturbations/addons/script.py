"""The script in the documents of an episode."""

from functools import partial

from mitmproxy import http

from stressweb.core.draws import digest
from stressweb.perturbations.addons.binding import binding_of, served_of
from stressweb.perturbations.addons.hooks import fault_of, guarded
from stressweb.perturbations.stream import stream


class Script:
    """Streams the site's responses, and inserts the episode's script into documents.

    If our code fails, the site's bytes pass unchanged, and the ledger notes it.
    """

    @guarded
    def responseheaders(self, flow: http.HTTPFlow) -> None:
        """Set a response to stream."""
        binding, served, path = binding_of(flow), served_of(flow), flow.request.path
        stress = binding.stress

        def failed(why: str, error: Exception | None) -> None:
            stress.note("engine", "blocked", detail=f"{path.partition('?')[0]}: {why}")
            if error is not None:
                binding.faults.append(fault_of(error))

        nonce = digest("nonce", stress.report_path, path, size=16).hex()
        scripted = stress.active or binding.observer is not None
        stream(flow, partial(binding.script, served, path) if scripted else None, nonce, failed)
