"""Nights of real tasks with synthetic episodes: a test chooses the outcomes."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from stressweb.runner.execution.listener import Listener
from stressweb.runner.execution.start import Place
from stressweb.runner.plan.experiment import Experiment
from tests.runner.nightly.synthetic_nights import Stage


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stage:
    """A stage that replaces runs by synthetic ones."""
    new_stage = Stage(tmp_path)
    # A test may replace the stage's own.
    monkeypatch.setattr("stressweb.runner.nightly.design.identities", lambda *about: new_stage.identities(*about))  # noqa: PLW0108

    def run(experiment: Experiment, *, name: str, runs_dir: Path, resume: bool, **_: object) -> SimpleNamespace:
        return SimpleNamespace(path=new_stage.play(experiment, Place(name, runs_dir, resume), Listener()))

    monkeypatch.setattr("stressweb.runner.nightly.night.run", run)
    return new_stage
