"""Check that a plug-in's scripts exist and parse; a broken one would leave every page without any script."""

import re
import subprocess

from stressweb.core.errors import UserError
from stressweb.plugins.rule import Rule


def check_scripts(rule: Rule) -> None:
    """Raise UserError with file and line for a script of a rule that is missing or does not parse."""
    for path in (rule.script, *rule.parts):
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
            raise UserError(f"mode {rule.mode!r}: its script {path} cannot be read: {reason}") from None
        if problem := _syntax_error(text):
            line, reason = problem
            raise UserError(f"mode {rule.mode!r}: its script {path}:{line} does not parse: {reason}")


def _syntax_error(text: str) -> tuple[str, str] | None:
    """Return line and reason of a syntax error; None if the text is a JavaScript expression."""
    from playwright._impl._driver import compute_driver_executable  # noqa: PLC0415 - only where plug-ins are used

    node, _ = compute_driver_executable()
    # The page gets the script as an element of an array.
    wrapped = f"[{text.rstrip().rstrip(';')}\n]"
    command = [node, "--check", "-"]
    check = subprocess.run(command, input=wrapped, capture_output=True, text=True, check=False, timeout=60)
    if check.returncode == 0:
        return None
    line = re.search(r"^\[stdin\]:(\d+)", check.stderr, re.MULTILINE)
    message = re.search(r"^\w*Error: .*", check.stderr, re.MULTILINE)
    return line[1] if line else "1", message[0] if message else check.stderr.strip()[:200]
