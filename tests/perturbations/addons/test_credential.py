"""Who has no credential gets nothing, and leaves nothing."""

import pytest

from perturbations.addons.credential import Credential
from tests.perturbations.addons.flows import CREDENTIAL, REQUEST, binding, flow, meet, notes


@pytest.mark.parametrize(
    ("given", "open_port", "status"),
    [
        (f"Basic {CREDENTIAL}", False, None), (f"basic  {CREDENTIAL} ", False, None), (f"Bearer {CREDENTIAL}", False, 407),
        (CREDENTIAL, False, 407), ("Basic ", False, 407), (f"Basic {CREDENTIAL}x", False, 407), ("", True, None),
    ],
)  # fmt: skip
def test_the_credential_is_asked_for_and_goes_no_further(given: str, open_port: bool, status: int | None) -> None:
    episode = binding(open=open_port)
    asked = meet(REQUEST, flow(episode, Proxy_Authorization=given), Credential())
    assert (asked.response and asked.response.status_code) == status
    assert "Proxy-Authorization" not in asked.request.headers
    assert (notes(episode), episode.faults) == ([], [])
