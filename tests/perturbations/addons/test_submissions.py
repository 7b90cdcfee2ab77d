"""A submitted form reaches the site as it would without a mode; one without changes keeps its bytes."""

import pytest

from stressweb.perturbations.addons.submissions import Submissions
from stressweb.perturbations.failure import Failure
from tests.perturbations.addons.flows import REQUEST, binding, flow, meet

FORM = "application/x-www-form-urlencoded; charset=utf-8"


class Renaming(Failure):
    """A mode that shows `theirs` as `ours`."""

    mode = "renaming"

    def restore(self, value: str) -> str:
        """Return what the site wrote."""
        return value.replace("ours", "theirs")


@pytest.mark.parametrize(
    ("sent", "arrives"),
    [("a=ours&b=%20", "a=theirs&b=+"), ("ours=1&c", "theirs=1&c="), ("a=%20&b=+", "a=%20&b=+"), ("", "")],
)
@pytest.mark.parametrize("active", [True, False])
def test_fields_are_mapped_back(active: bool, sent: str, arrives: str) -> None:
    request_flow = flow(binding(Renaming(), active=active), f"/search?{sent}" if sent else "/search", Content_Type=FORM)
    request_flow.request.content = sent.encode()
    meet(REQUEST, request_flow, Submissions())
    expected = arrives if active else sent
    assert request_flow.request.content == expected.encode()
    assert request_flow.request.path == (f"/search?{expected}" if sent else "/search")
