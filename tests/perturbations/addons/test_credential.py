"""A request without the credential gets no answer, and leaves no trace."""

import pytest

from stressweb.perturbations.addons.credential import Credential
from tests.perturbations.addons.flows import CREDENTIAL, REQUEST, binding, flow, meet, notes


@pytest.mark.parametrize(
    ("credential", "open_port", "status"),
    [
        (f"Basic {CREDENTIAL}", False, None), (f"basic  {CREDENTIAL} ", False, None), (f"Bearer {CREDENTIAL}", False, 407),
        (CREDENTIAL, False, 407), ("Basic ", False, 407), (f"Basic {CREDENTIAL}x", False, 407), ("", True, None),
    ],
)  # fmt: skip
def test_the_credential_is_asked_for_and_goes_no_further(credential: str, open_port: bool, status: int | None) -> None:
    episode = binding(needs_no_credential=open_port)
    request_flow = meet(REQUEST, flow(episode, Proxy_Authorization=credential), Credential())
    assert (request_flow.response and request_flow.response.status_code) == status
    assert "Proxy-Authorization" not in request_flow.request.headers
    assert (notes(episode), episode.faults) == ([], [])
