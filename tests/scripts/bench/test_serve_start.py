"""The start of `serve` is measured with the real command; a server that fails to start is an error."""

import pytest

from scripts.bench import serve_start
from stressweb.core.errors import InfrastructureError


@pytest.mark.audit
def test_a_start_is_measured_up_to_a_page_that_answers() -> None:
    figure = serve_start.measure_serve(1)
    assert (figure.unit, figure.target, figure.detail) == ("s", 3.0, "median of 1")
    assert figure.value > 0.1


def test_a_serve_that_ends_is_no_figure() -> None:
    with pytest.raises(InfrastructureError, match="serve ended before it printed its address"):
        serve_start.measure_serve(1, ("-c", ""))
