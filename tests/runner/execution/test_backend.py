"""The choice of a backend for the workers."""

import re
from collections.abc import Callable
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stressweb.core.errors import UserError
from stressweb.log.plan import Plan
from stressweb.runner.execution.backend import Backend
from stressweb.runner.execution.backends import backend
from stressweb.runner.execution.lanes import Lanes
from stressweb.runner.execution.local import Local
from stressweb.runner.execution.mission import Mission
from stressweb.runner.execution.process import WorkerProcess
from stressweb.runner.execution.ray_connection import host_and_port
from stressweb.runner.execution.start import Place, checked
from stressweb.runner.execution.worker_config import WorkerConfig
from stressweb.runner.plan.experiment import Experiment
from stressweb.runner.registry import Library
from tests.support.isolated_plugins import isolate_plugins


def test_an_unknown_backend_names_the_nearest() -> None:
    with pytest.raises(UserError, match=re.escape("unknown backend 'rya'; did you mean ray? There are local, ray")):
        backend("rya")


def test_ray_needs_an_address_and_nothing_else_takes_one() -> None:
    backend("local").check_address(None)
    backend("ray").check_address("10.0.0.5:6379")
    with pytest.raises(UserError, match="give --address HOST:PORT"):
        backend("ray").check_address(None)
    with pytest.raises(UserError, match="backend local takes no address; leave out --address"):
        backend("local").check_address("10.0.0.5:6379")


def test_local_workers_follow_the_option_or_a_default() -> None:
    assert Local().lanes(7, 1, waits=False) == (7, 1)
    assert min(Local().lanes(None, None, waits=False)) >= 1


@pytest.mark.parametrize(
    ("address", "message"),
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
def test_an_address_is_a_host_and_a_port(address: str, message: str) -> None:
    with pytest.raises(UserError, match=re.escape(message)):
        host_and_port(address)


@given(st.from_regex(r"[a-z][a-z0-9.-]{0,20}|\[[0-9a-f:]{2,20}\]", fullmatch=True), st.integers(1, 65535))
def test_host_and_port_are_split_again(host: str, port: int) -> None:
    assert host_and_port(f"{host}:{port}") == (host.strip("[]"), port)


class Elsewhere(Backend):
    """A backend of a plug-in, with remote machines."""

    name = "elsewhere"
    remote = True

    @classmethod
    def check_address(cls, address: str | None) -> None:
        pass

    def lanes(self, workers: int | None, in_flight: int | None, *, waits: bool, own_browsers: bool = False) -> Lanes:
        return Lanes(workers or 5, in_flight or 1)

    def start(self, config: WorkerConfig, log: Path, wanted: Callable[[], bool]) -> WorkerProcess:
        return WorkerProcess(config, log)


@pytest.fixture
def outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """A package with two backends: a valid one and an invalid one."""
    points = {"elsewhere": f"{__name__}:Elsewhere", "odd": f"{__name__}:test_an_unknown_backend_names_the_nearest"}
    entry_points = tuple(EntryPoint(name, value, "stressweb.backends") for name, value in points.items())
    isolate_plugins(monkeypatch, lambda group: entry_points if group == "stressweb.backends" else ())


@pytest.mark.usefixtures("outside")
def test_a_package_adds_a_backend_by_an_entry_point() -> None:
    kind = backend("elsewhere")
    kind.check_address("somewhere")
    with kind.opened(Mission(plan=Plan(agents=(), tasks=(), conditions=()), folder=Path()), "somewhere") as machines:
        assert machines.lanes(None, None, waits=True) == (5, 1)
    with pytest.raises(UserError, match=r"backend 'odd' \(entry point odd = .*\) cannot be used: .* is not a Backend"):
        backend("odd")
    with pytest.raises(UserError, match=re.escape("did you mean elsewhere? There are local, ray, elsewhere, odd")):
        backend("elsewher")


@pytest.mark.usefixtures("outside")
def test_a_headed_browser_needs_the_local_backend(tmp_path: Path) -> None:
    place = Place(runs_dir=tmp_path, headed=True, backend="elsewhere")
    with pytest.raises(UserError, match="--headed shows a browser on this machine, and with --backend elsewhere there"):
        checked(Experiment(limit=1), place, (), Library())
