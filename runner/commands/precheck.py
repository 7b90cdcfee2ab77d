"""Checks make's variables before anything is installed, with the standard library only, on Python 3.12 or newer.

It only checks the syntax of variables, since plug-ins may add modes, tasks and agents.
"""

import os
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
if __name__ == "__main__":
    # As a script, without the package installed.
    sys.path.insert(0, str(ROOT))

from stressweb.core import address  # noqa: E402 - see above
from stressweb.core.choices import offered  # noqa: E402
from stressweb.core.conditions import check, split  # noqa: E402
from stressweb.core.errors import UserError  # noqa: E402
from stressweb.core.words import NOT_PLAIN, PLAIN  # noqa: E402

_TASK = re.compile(r"[\w.*?\[\]/-]+")
_AGENT = re.compile(r"(?:[A-Za-z][\w.-]*\s*=\s*)?[A-Za-z_][\w.:-]*(?:\([^()]*\))?")
_SWITCH = ("1", "true", "t", "yes", "y", "on", "0", "false", "f", "no", "n", "off")
"""Values that the command line accepts for a switch."""


def check_mode(text: str) -> str | None:
    """Return what is wrong with the syntax of a list of conditions, or None."""
    try:
        check(text)
    except UserError as error:
        return str(error)
    return None


def check_task(text: str) -> str | None:
    """Return what is wrong with the syntax of a list of tasks, or None."""
    wrong = next((part for part in split(text) if not _TASK.fullmatch(part)), None)
    if wrong is not None:
        return f"{wrong!r} cannot be a task; write shop/checkout, checkout or shop/*"
    return None if split(text) else "task is empty"


def check_agent(text: str) -> str | None:
    """Return what is wrong with the syntax of a list of agents, such as `naive,resilient(-gesture)`, or None."""
    wrong = next((part for part in split(text) if not _AGENT.fullmatch(part)), None)
    if wrong is not None:
        return f"{wrong!r} cannot be an agent; write naive, resilient(-gesture) or my_package.my_module:MyAgent"
    return None if split(text) else "agent is empty"


def check_exclude(text: str) -> str | None:
    """Return what is wrong with a list of tasks or patterns to leave out, or None."""
    return None if split(text) else "exclude is empty; write tasks or patterns, such as calendar/*"


def check_seeds(text: str) -> str | None:
    """Return what is wrong with a list of stress seeds, or None."""
    if all(re.fullmatch(r"[0-9]{1,9}(?:\.\.[0-9]{1,9})?", part.strip()) for part in text.split(",")):
        return None
    return f"{text[:80]!r} is not a list of seeds; a seed is a whole number from 0 on: write 3, 0,1,2 or 0..4"


def check_switch(text: str) -> str | None:
    """Return what is wrong with the value of a switch, or None."""
    return None if text.lower() in _SWITCH else f"{text[:80]!r} is neither 1 nor 0"


def check_model(text: str) -> str | None:
    """Return what is wrong with the name of a language model, or None."""
    return address.check_model(text)


def check_base_url(text: str) -> str | None:
    """Return what is wrong with the address of a language model's endpoint, or None."""
    return address.check_url(text)


def check_run(text: str) -> str | None:
    """Return what is wrong with the name of a run's folder, or None."""
    return None if PLAIN.fullmatch(text) else f"{text[:120]!r} {NOT_PLAIN}"


def check_load(text: str) -> str | None:
    """Return what is wrong with a list of plug-ins, or None; whether they exist is checked when they are loaded."""
    return None if text.split() else "load is empty; write a Python file, a site's folder, or module:Class"


def check_browser(text: str) -> str | None:
    """Return what is wrong with the path of a browser, or None; whether it starts is checked later."""
    return None if os.access(text, os.X_OK) and Path(text).is_file() else f"{text!r} is not an executable file"


def _at_least(least: int) -> Callable[[str], str | None]:
    def check(text: str) -> str | None:
        if re.fullmatch(r"[0-9]{1,18}", text) and int(text) >= least:
            return None
        return f"{text!r} is not a whole number from {least} on"

    return check


def check_file(text: str) -> str | None:
    """Return what is wrong with the path of an experiment file, or None; its content is checked later."""
    return None if Path(text).is_file() else f"{text[:200]!r} is not a file; there are examples in experiments/"


def check_set(text: str) -> str | None:
    """Return what is wrong with changes to an experiment file, or None; unknown entries are reported later."""
    wrong = next((part for part in text.split() if not re.match(r"[a-z_.]+=", part)), None)
    return None if wrong is None else f"{wrong[:80]!r} is not of the form key=value, such as epochs=3 or budget.usd=5"


def check_shard(text: str) -> str | None:
    """Return what is wrong with a shard such as 2/8, or None."""
    match = re.fullmatch(r"([0-9]{1,5})/([0-9]{1,5})", text)
    return None if match and 1 <= int(match[1]) <= int(match[2]) else f"{text[:80]!r} is not of the form 2/8"


CHECKS: Mapping[str, Callable[[str], str | None]] = {
    "MODE": check_mode,
    "TASK": check_task,
    "EXCLUDE": check_exclude,
    "AGENT": check_agent,
    "MODEL": check_model,
    "BASE_URL": check_base_url,
    "SEED": _at_least(0),
    "STRESS_SEEDS": check_seeds,
    "EPOCHS": _at_least(1),
    "WORKERS": _at_least(1),
    "IN_FLIGHT": _at_least(1),
    "LIMIT": _at_least(1),
    "SCREENSHOTS": check_switch,
    "RUN": check_run,
    "RESUME": check_switch,
    "LOAD": check_load,
    "FILE": check_file,
    "SET": check_set,
    "SHARD": check_shard,
    "STRESSWEB_BROWSER": check_browser,
}
"""The check of each variable; an empty variable means the default."""


def problems(environ: Mapping[str, str]) -> list[str]:
    """Return one line for each invalid `STRESSWEB_` variable, named as the user typed it."""
    messages = []
    for name, check_value in CHECKS.items():
        text = environ.get(f"STRESSWEB_{name.removeprefix('STRESSWEB_')}", "").strip()
        problem = check_value(text) if text else None
        if problem:
            messages.append(" ".join(f"{name}: {problem}".split()))
    return messages


def unknown(environ: Mapping[str, str]) -> list[str]:
    """Return one line for each unknown variable that was passed to make.

    make passes the unknown and the known names in the environment.
    """
    known = environ.get("STRESSWEB_VARIABLES", "").split()
    names = sorted(environ.get("STRESSWEB_UNKNOWN", "").split())
    return [f"{name[:80]} is not a variable of make; {offered(name, known, few=len(known))}" for name in names]


def main() -> int:
    """Print each problem on a line; return 2 if there is one, else 0."""
    messages = unknown(os.environ) or problems(os.environ)
    for problem in messages:
        print(f"stressweb: {problem}", file=sys.stderr)
    return 2 if messages else 0


if __name__ == "__main__":
    sys.exit(main())
