"""What a run needs of every machine that has a part in it."""

import os
from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from runner.plan.experiment import Experiment
from runner.registry import EXTENSIONS
from stressweb.log.plan import Plan


class Mission(BaseModel):
    """A plan, and what stands beside it: where models are asked, and what the user loads."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="constants")

    plan: Plan
    model: str | None = None
    base_url: str | None = None
    sources: tuple[str, ...] = ()
    """What the user loads besides what ships, with whole paths."""
    folder: Path
    """The current folder of the command, from which `module:Class` is imported."""


def mission_of(experiment: Experiment, plan: Plan) -> Mission:
    """Return what the run of a plan needs."""
    return Mission(
        plan=plan,
        model=experiment.model,
        # Another machine has an environment of its own, in which another endpoint, or none, may stand.
        base_url=experiment.base_url or os.environ.get("OPENAI_BASE_URL", "").strip() or None,
        sources=whole_sources(EXTENSIONS.sources),
        folder=Path.cwd(),
    )


def whole_sources(sources: Sequence[str]) -> tuple[str, ...]:
    """Return the user's extensions with absolute paths, because workers may have another current folder."""
    return tuple(str(Path(source).resolve()) if Path(source).exists() else source for source in sources)
