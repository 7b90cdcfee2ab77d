"""Whether the scripts of a plug-in are there and parse: one that does not would leave every page without any script."""

import re
import subprocess

from stressweb.core.errors import UserError
from stressweb.plugins.rule import Rule


def check_scripts(rule: Rule) -> None:
    """Raise UserError that names file and line for a script of a rule that is missing or is no function."""
    for path in (rule.script, *rule.parts):
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is no UTF-8"
            raise UserError(f"mode {rule.mode!r}: its script {path} cannot be read: {reason}") from None
        if wrong := _wrong(text):
            line, reason = wrong
            raise UserError(f"mode {rule.mode!r}: its script {path}:{line} does not parse: {reason}")


def _wrong(text: str) -> tuple[str, str] | None:
    """Return line and reason if a text is no expression of JavaScript."""
    from playwright._impl._driver import compute_driver_executable  # noqa: PLC0415 - only where plug-ins are used

    node, _ = compute_driver_executable()
    # A page gets it as one of several values of a list.
    wrapped = f"[{text.rstrip().rstrip(';')}\n]"
    command = [node, "--check", "-"]
    done = subprocess.run(command, input=wrapped, capture_output=True, text=True, check=False, timeout=60)
    if done.returncode == 0:
        return None
    line = re.search(r"^\[stdin\]:(\d+)", done.stderr, re.MULTILINE)
    said = re.search(r"^\w*Error: .*", done.stderr, re.MULTILINE)
    return line[1] if line else "1", said[0] if said else done.stderr.strip()[:200]
