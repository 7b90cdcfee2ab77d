"""A submitted form reaches the site as it would without a mode; one without changes keeps its bytes."""

import pytest

from stressweb.perturbations.addons.submissions import Submissions
from stressweb.perturbations.episode_perturber import EpisodePerturber
from tests.perturbations.addons.flows import REQUEST, binding, flow, meet

FORM = "application/x-www-form-urlencoded; charset=utf-8"


@pytest.mark.parametrize(
    ("sent", "arrives"),
    [("a=ours&b=%20", "a=theirs&b=+"), ("ours=1&c", "theirs=1&c="), ("a=%20&b=+", "a=%20&b=+"), ("", "")],
)
@pytest.mark.parametrize("active", [True, False])
def test_fields_are_mapped_back(monkeypatch: pytest.MonkeyPatch, active: bool, sent: str, arrives: str) -> None:
    monkeypatch.setattr(EpisodePerturber, "restore", lambda _, value: value.replace("ours", "theirs"))
    request_flow = flow(binding(active=active), f"/search?{sent}" if sent else "/search", Content_Type=FORM)
    request_flow.request.content = sent.encode()
    meet(REQUEST, request_flow, Submissions())
    expected = arrives if active else sent
    assert request_flow.request.content == expected.encode()
    assert request_flow.request.path == (f"/search?{expected}" if sent else "/search")
