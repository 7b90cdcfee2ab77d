"""The choice of where workers run."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.execution.backend import BACKENDS, Local, check_backend
from runner.execution.ray_connection import host_and_port
from stressweb.core.errors import UserError


def test_an_unknown_backend_names_the_nearest() -> None:
    with pytest.raises(UserError, match=re.escape("unknown backend 'rya'; did you mean ray? There are local, ray")):
        check_backend("rya", None)


def test_ray_needs_an_address_and_nothing_else_takes_one() -> None:
    check_backend("local", None)
    check_backend("ray", "10.0.0.5:6379")
    with pytest.raises(UserError, match="give --address HOST:PORT"):
        check_backend("ray", None)
    with pytest.raises(UserError, match="leave out --address"):
        check_backend("local", "10.0.0.5:6379")


def test_local_workers_are_as_many_as_asked_for_and_else_some() -> None:
    assert Local().lanes(7, 1, waits=False) == (7, 1)
    assert min(Local().lanes(None, None, waits=False)) >= 1
    assert set(BACKENDS) == {"local", "ray"}


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("auto", "is not HOST:PORT"),
        ("local", "is not HOST:PORT"),
        ("10.0.0.5", "is not HOST:PORT"),
        ("10.0.0.5:0", "is not HOST:PORT"),
        ("10.0.0.5:65536", "is not HOST:PORT"),
        ("-x:80 y", "is not HOST:PORT"),
        ("ray://10.0.0.5:10001", "run stressweb on a machine of the cluster"),
    ],
)
def test_an_address_is_a_host_and_a_port(address: str, said: str) -> None:
    with pytest.raises(UserError, match=re.escape(said)):
        host_and_port(address)


@given(st.from_regex(r"[a-z][a-z0-9.-]{0,20}|\[[0-9a-f:]{2,20}\]", fullmatch=True), st.integers(1, 65535))
def test_what_is_put_together_comes_apart_again(host: str, port: int) -> None:
    assert host_and_port(f"{host}:{port}") == (host.strip("[]"), port)
