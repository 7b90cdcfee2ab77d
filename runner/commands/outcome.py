"""The output at the end of a run: its table, and its report if requested."""

from pathlib import Path

from stressweb.runner.api.report import write
from stressweb.runner.commands.curves import show_shape
from stressweb.runner.commands.output import say
from stressweb.runner.commands.show import show

__all__ = ["show", "show_report"]


def show_report(folder: Path, *, as_json: bool, explain: bool) -> None:
    """Print dose responses and interactions, write the report into the run's folder, and print its path."""
    if not as_json:
        show_shape(folder, explain=explain)
    path = folder / "report.html"
    write(folder, path)
    say(f" report: {path}", err=as_json)
