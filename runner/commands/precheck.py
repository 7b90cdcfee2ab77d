"""The check of make's variables before anything is installed: standard library only, run by any Python from 3.12 on.

Only how a value is written is looked at: which modes, tasks and agents there are is the registry's matter, and plug-ins
add to them.
"""

import os
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
if __name__ == "__main__":
    # A lone script, run by a Python in which nothing is installed, does not find our packages.
    sys.path.insert(0, str(ROOT))

from stressweb.core import address  # noqa: E402 - see above
from stressweb.core.choices import offered  # noqa: E402
from stressweb.core.conditions import check, split  # noqa: E402
from stressweb.core.errors import UserError  # noqa: E402
from stressweb.core.words import NOT_PLAIN, PLAIN  # noqa: E402

_TASK = re.compile(r"[\w.*?\[\]/-]+")
_AGENT = re.compile(r"(?:[A-Za-z][\w.-]*\s*=\s*)?[A-Za-z_][\w.:-]*(?:\([^()]*\))?")
_SWITCH = ("1", "true", "t", "yes", "y", "on", "0", "false", "f", "no", "n", "off")
"""What the command line takes for a switch."""


def check_mode(value: str) -> str | None:
    """Return what is wrong with how a list of conditions is written, or None."""
    try:
        check(value)
    except UserError as error:
        return str(error)
    return None


def check_task(value: str) -> str | None:
    """Return what is wrong with how a list of tasks is written, or None."""
    wrong = next((part for part in _parts(value) if not _TASK.fullmatch(part)), None)
    if wrong is not None:
        return f"{wrong!r} cannot be a task; write shop/checkout, checkout or shop/*"
    return None if _parts(value) else "task is empty"


def check_agent(value: str) -> str | None:
    """Return what is wrong with how a list of agents such as `naive,resilient(-gesture)` is written, or None."""
    wrong = next((part for part in _parts(value) if not _AGENT.fullmatch(part)), None)
    if wrong is not None:
        return f"{wrong!r} cannot be an agent; write naive, resilient(-gesture) or my_package.my_module:MyAgent"
    return None if _parts(value) else "agent is empty"


def check_exclude(value: str) -> str | None:
    """Return what is wrong with a list of patterns of tasks that are left out, or None."""
    return None if _parts(value) else "exclude is empty; give tasks or patterns, such as calendar/*"


def check_seeds(value: str) -> str | None:
    """Return what is wrong with a list of stress seeds, or None."""
    if all(re.fullmatch(r"[0-9]{1,9}(?:\.\.[0-9]{1,9})?", part.strip()) for part in value.split(",")):
        return None
    return (
        f"{value[:80]!r} is no list of seeds; a seed is a whole number from 0 on: write 3, a list 0,1,2 or a span 0..4"
    )


def check_switch(value: str) -> str | None:
    """Return what is wrong with a variable that switches something on, or None."""
    return None if value.lower() in _SWITCH else f"{value[:80]!r} is neither 1 nor 0"


def check_model(value: str) -> str | None:
    """Return what is wrong with the name of a language model, or None."""
    return address.check_model(value)


def check_base_url(value: str) -> str | None:
    """Return what is wrong with the address at which a language model is asked, or None."""
    return address.check_url(value)


def check_run(value: str) -> str | None:
    """Return what is wrong with the name of a run's folder, or None."""
    return None if PLAIN.fullmatch(value) else f"{value[:120]!r} {NOT_PLAIN}"


def check_load(value: str) -> str | None:
    """Return what is wrong with a list of plug-ins, or None; whether they are there is seen when they are loaded."""
    return None if value.split() else "load is empty; give a Python file, the folder of a site, or module:Class"


def check_browser(value: str) -> str | None:
    """Return what is wrong with the path of a browser, or None; whether it starts is seen when it is first used."""
    return None if os.access(value, os.X_OK) and Path(value).is_file() else f"{value!r} is no executable file"


def _at_least(least: int) -> Callable[[str], str | None]:
    def check(value: str) -> str | None:
        if re.fullmatch(r"[0-9]{1,18}", value) and int(value) >= least:
            return None
        return f"{value!r} is not a whole number from {least} on"

    return check


def check_file(value: str) -> str | None:
    """Return what is wrong with the path of an experiment file, or None; what is in it is read when it is run."""
    return None if Path(value).is_file() else f"{value[:200]!r} is no file; there are examples in experiments/"


def check_set(value: str) -> str | None:
    """Return what is wrong with changes of an experiment file, or None; which entries there are is seen later."""
    wrong = next((part for part in value.split() if not re.match(r"[a-z_.]+=", part)), None)
    return None if wrong is None else f"{wrong[:80]!r} is not of the form key=value, such as epochs=3 or budget.usd=5"


def check_shard(value: str) -> str | None:
    """Return what is wrong with the number of a part and of how many, or None."""
    found = re.fullmatch(r"([0-9]{1,5})/([0-9]{1,5})", value)
    return None if found and 1 <= int(found[1]) <= int(found[2]) else f"{value[:80]!r} is not of the form 2/8"


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
"""What each variable is checked by; an empty value is the default and always right."""


def problems(environ: Mapping[str, str]) -> list[str]:
    """Return one line for each `STRESSWEB_` variable that cannot be right, named as its user typed it."""
    found = []
    for name, check_value in CHECKS.items():
        value = environ.get(f"STRESSWEB_{name.removeprefix('STRESSWEB_')}", "").strip()
        problem = check_value(value) if value else None
        if problem:
            found.append(" ".join(f"{name}: {problem}".split()))
    return found


def unknown(environ: Mapping[str, str]) -> list[str]:
    """Return one line for each variable that make was given and does not know.

    make gives their names, and the names that it knows, in the environment.
    """
    known = environ.get("STRESSWEB_VARIABLES", "").split()
    names = sorted(environ.get("STRESSWEB_UNKNOWN", "").split())
    return [f"{name[:80]} is no variable of make; {offered(name, known, few=len(known))}" for name in names]


def _parts(value: str) -> list[str]:
    """Split at commas outside of parentheses."""
    return split(value)


def main() -> int:
    """Print what is wrong, one line each; return 2 if anything is."""
    found = unknown(os.environ) or problems(os.environ)
    for problem in found:
        print(f"stressweb: {problem}", file=sys.stderr)
    return 2 if found else 0


if __name__ == "__main__":
    sys.exit(main())
