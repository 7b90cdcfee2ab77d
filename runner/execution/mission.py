"""What a run needs on every machine that takes part in it."""

import os
from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from stressweb.log.plan import Plan
from stressweb.runner.plan.experiment import Experiment
from stressweb.runner.registry import EXTENSIONS


class Mission(BaseModel):
    """A plan with its model endpoint and the user's extensions."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="constants")

    plan: Plan
    model: str | None = None
    base_url: str | None = None
    sources: tuple[str, ...] = ()
    """The user's extensions, with absolute paths."""
    folder: Path
    """Working directory of the command, from which `module:Class` is imported."""


def mission_of(experiment: Experiment, plan: Plan) -> Mission:
    """Return the mission of a plan."""
    return Mission(
        plan=plan,
        model=experiment.model,
        # The environment of another machine may name another endpoint or none.
        base_url=experiment.base_url or os.environ.get("OPENAI_BASE_URL", "").strip() or None,
        sources=whole_sources(EXTENSIONS.sources),
        folder=Path.cwd(),
    )


def whole_sources(sources: Sequence[str]) -> tuple[str, ...]:
    """Return the user's extensions with absolute paths, because workers may have another working directory."""
    return tuple(str(Path(source).resolve()) if Path(source).exists() else source for source in sources)
