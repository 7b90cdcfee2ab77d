"""The configuration of a worker process, in a separate module so that the parent does not import worker code."""

from pathlib import Path

from pydantic import BaseModel, ConfigDict

from stressweb.log.plan import Plan


class WorkerConfig(BaseModel):
    """Start-up configuration of a worker process."""

    # An agent's option may be infinite, which pydantic writes as null by default.
    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="constants")

    database: Path
    browser: Path
    plan: Plan
    """The run's plan; a cell refers to its agents and conditions by label."""
    headed: bool = False
    base_url: str | None = None
    """URL of the model endpoint, if it is given on the command line."""
    record_llm: Path | None = None
    """File in which exchanges with language models are recorded."""
    replay_llm: Path | None = None
    """File from which exchanges are replayed."""
    extensions: tuple[str, ...] = ()
    """The user's extensions: files, folders, `module:Class`."""
    parcels: bool = False
    """Whether each episode gets its own database file, which the parent fetches and sends on."""
    parent: int
    """Process id of the parent; if the worker's parent is another process, the original parent has died."""
