"""`stressweb schema`: the JSON Schema of a kind of file, for editors."""

from pathlib import Path

from runner.commands.output import say
from runner.schemas import text_of
from stressweb.core.errors import UserError
from stressweb.core.whole_file import put


def schema(kind: str, output: Path | None) -> int:
    """Print a schema, or write it to a file; raises UserError if that cannot be written."""
    text = text_of(kind)
    if output is None:
        say(text.rstrip("\n"))
        return 0
    try:
        put(output, text)
    except OSError as error:
        raise UserError(f"{output} cannot be written: {error.strerror}") from error
    say(str(output))
    return 0
