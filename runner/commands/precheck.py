"""The check of make's variables before anything is installed: standard library only, run by any Python from 3.12 on.

Names are read off the files that define them; nothing that needs an installed package is imported.
"""

import ast
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

_TASK_ID = re.compile(r"""^\s*-\s+id:\s*["']?([\w./-]+)["']?\s*(?:#.*)?$""", re.MULTILINE)
_AGENT = re.compile(r"(?P<name>[A-Za-z_][\w-]*)(?:\((?P<options>[^()]*)\))?")
_SWITCH = ("1", "true", "t", "yes", "y", "on", "0", "false", "f", "no", "n", "off")
"""What the command line takes for a switch."""
_RUN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


def _declared(folder: Path, attribute: str) -> list[str]:
    """Return the words that classes in `folder` give the class attribute, without importing anything."""
    trees = (ast.parse(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.py")))
    bodies = (node.body for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    return sorted({word for body in bodies for line in body for word in _assigned(line, attribute)})


def _assigned(line: ast.stmt, attribute: str) -> Iterator[str]:
    targets = line.targets if isinstance(line, ast.Assign) else [line.target] if isinstance(line, ast.AnnAssign) else []
    named = any(isinstance(target, ast.Name) and target.id == attribute for target in targets)
    value = getattr(line, "value", None)
    if named and isinstance(value, ast.Constant) and isinstance(value.value, str):
        yield value.value


def modes(root: Path = ROOT) -> list[str]:
    """Return the modes that the perturbations of a tree declare."""
    return _declared(root / "perturbations", "mode")


def agents(root: Path = ROOT) -> list[str]:
    """Return the names that the agents of a tree declare."""
    return _declared(root / "runner" / "agents", "name")


def tasks(root: Path = ROOT) -> list[str]:
    """Return the ids of the tasks of a tree, as `site/name`."""
    return [name for path in sorted((root / "sites").glob("*/tasks.yaml")) for name in tasks_in(path)]


def tasks_in(path: Path) -> list[str]:
    """Return the ids in one `tasks.yaml`, in their order."""
    return _TASK_ID.findall(path.read_text(encoding="utf-8"))


def check_mode(value: str, root: Path = ROOT) -> str | None:
    """Return what is wrong with a list of conditions, or None."""
    # Late, because a lone script finds our packages only once `main` has put the tree on the path.
    from stressweb.core.conditions import parse  # noqa: PLC0415
    from stressweb.core.errors import UserError  # noqa: PLC0415

    try:
        parse(value, modes(root))
    except UserError as error:
        return str(error)
    return None


def check_task(value: str, root: Path = ROOT) -> str | None:
    """Return what is wrong with a list of task ids or short names, or None."""
    from stressweb.core.chosen import chosen  # noqa: PLC0415 - as in check_mode
    from stressweb.core.errors import UserError  # noqa: PLC0415

    try:
        chosen(value, tasks(root))
    except UserError as error:
        return str(error)
    return None


def check_exclude(value: str, _root: Path = ROOT) -> str | None:
    """Return what is wrong with a list of patterns of tasks that are left out, or None."""
    return None if _parts(value) else "exclude is empty; give tasks or patterns, such as calendar/*"


def check_seeds(value: str, _root: Path = ROOT) -> str | None:
    """Return what is wrong with a list of stress seeds, or None."""
    if all(re.fullmatch(r"[0-9]{1,9}(?:\.\.[0-9]{1,9})?", part.strip()) for part in value.split(",")):
        return None
    return (
        f"{value[:80]!r} is no list of seeds; a seed is a whole number from 0 on: write 3, a list 0,1,2 or a span 0..4"
    )


def check_switch(value: str, _root: Path = ROOT) -> str | None:
    """Return what is wrong with a variable that switches something on, or None."""
    return None if value.lower() in _SWITCH else f"{value[:80]!r} is neither 1 nor 0"


def check_agent(value: str, root: Path = ROOT) -> str | None:
    """Return what is wrong with a list of agents such as `naive,resilient(-gesture)`, or None."""
    from stressweb.core.choices import unknown  # noqa: PLC0415 - as in check_mode

    known = agents(root)
    if not _parts(value):
        return f"agent is empty; choose from {', '.join(known)}"
    for part in _parts(value):
        match = _AGENT.fullmatch(part)
        if not match or match["name"] not in known:
            return unknown("agent", part, known)
    return None


def check_model(value: str, _root: Path = ROOT) -> str | None:
    """Return what is wrong with the name of a language model, or None."""
    from stressweb.core import address  # noqa: PLC0415 - as in check_mode

    return address.check_model(value)


def check_base_url(value: str, _root: Path = ROOT) -> str | None:
    """Return what is wrong with the address at which a language model is asked, or None."""
    from stressweb.core import address  # noqa: PLC0415 - as in check_mode

    return address.check_url(value)


def check_run(value: str, _root: Path = ROOT) -> str | None:
    """Return what is wrong with the name of a run's folder, or None."""
    if _RUN.fullmatch(value):
        return None
    return f"{value[:120]!r} is not a plain folder name; use letters, digits, '.', '_' and '-', at most 100"


def check_browser(value: str, _root: Path = ROOT) -> str | None:
    """Return what is wrong with the path of a browser, or None; whether it starts is seen when it is first used."""
    return None if os.access(value, os.X_OK) and Path(value).is_file() else f"{value!r} is no executable file"


def _at_least(least: int) -> Callable[[str, Path], str | None]:
    def check(value: str, _root: Path = ROOT) -> str | None:
        if re.fullmatch(r"[0-9]{1,18}", value) and int(value) >= least:
            return None
        return f"{value!r} is not a whole number from {least} on"

    return check


CHECKS: Mapping[str, Callable[[str, Path], str | None]] = {
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
    "LIMIT": _at_least(1),
    "SCREENSHOTS": check_switch,
    "RUN": check_run,
    "STRESSWEB_BROWSER": check_browser,
}
"""What each variable is checked by; an empty value is the default and always right."""


def problems(environ: Mapping[str, str], root: Path = ROOT) -> list[str]:
    """Return one line for each `STRESSWEB_` variable that cannot be right, named as its user typed it."""
    found = []
    for name, check in CHECKS.items():
        value = environ.get(f"STRESSWEB_{name.removeprefix('STRESSWEB_')}", "").strip()
        problem = check(value, root) if value else None
        if problem:
            found.append(" ".join(f"{name}: {problem}".split()))
    return found


def _parts(value: str) -> list[str]:
    """Split at commas outside of parentheses."""
    from stressweb.core.conditions import split  # noqa: PLC0415 - as in check_mode

    return split(value)


def main() -> int:
    """Print what is wrong, one line each; return 2 if anything is."""
    sys.path.insert(0, str(ROOT))
    found = problems(os.environ)
    for problem in found:
        print(f"stressweb: {problem}", file=sys.stderr)
    return 2 if found else 0


if __name__ == "__main__":
    sys.exit(main())
