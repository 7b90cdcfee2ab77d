"""Opening an episode is measured with the real command; a host that fails to start is an error."""

import pytest

from scripts.bench import host_open
from stressweb.core.errors import InfrastructureError


@pytest.mark.audit
def test_the_opening_of_an_episode_is_measured_up_to_its_addresses() -> None:
    figure = host_open.measure_host(1)
    assert (figure.unit, figure.target) == ("s", 1.5)
    assert figure.detail.startswith("median of 3, the first ")
    assert figure.value > 0.01


def test_a_host_that_ends_is_no_figure() -> None:
    with pytest.raises(InfrastructureError, match="host ended before it printed its address"):
        host_open.measure_host(1, ("-c", ""))
