"""What a worker process is started with. The parent imports this without what only a worker needs."""

from pathlib import Path

from pydantic import BaseModel, ConfigDict

from stressweb.log.plan import Plan


class WorkerConfig(BaseModel):
    """Start-up configuration of a worker process."""

    # An option of an agent may be infinite, for which pydantic by default writes null.
    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="constants")

    database: Path
    browser: Path
    plan: Plan
    """The run's plan; a cell has the labels of one of its agents and of one of its conditions."""
    headed: bool = False
    base_url: str | None = None
    """Where language models are asked, if the command line says so."""
    record_llm: Path | None = None
    """File in which exchanges with language models are recorded."""
    replay_llm: Path | None = None
    """File from which they are replayed."""
    extensions: tuple[str, ...] = ()
    """What the user loads besides what ships: files, folders, `module:Class`."""
    parcels: bool = False
    """Whether each episode gets the database for itself, as a file that the parent fetches and sends on."""
    parent: int
    """Process id of the parent: if it is another one by now, the parent has died."""
