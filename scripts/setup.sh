#!/bin/sh
# Check make's variables, then make .venv: locked requirements and this project. Nothing is done when nothing changed.
set -eu
cd "$(dirname "$0")/.."

stamp=.venv/.stressweb
# What an environment depends on: the lock, the project's own metadata, the interpreter, and where the tree lies.
fingerprint='
import hashlib, os, sys, tomllib
with open("pyproject.toml", "rb") as file:
    project = tomllib.load(file)
with open("requirements.lock", "rb") as file:
    lock = file.read()
parts = (project["build-system"], project["project"], project["tool"]["hatch"], sys.version, sys.base_prefix, os.getcwd())
print(hashlib.sha256(lock + repr(parts).encode()).hexdigest())
'

if [ -s "$stamp" ] && now=$(.venv/bin/python -I -S -c "$fingerprint" 2>/dev/null) && [ "$now" = "$(cat "$stamp")" ]; then
    exec .venv/bin/python -I runner/commands/precheck.py
fi

python=$(sh scripts/find-python.sh)
"$python" -I runner/commands/precheck.py

echo "stressweb: setting up .venv, once: $(grep -c '^[^ #].*==' requirements.lock) locked packages, into this folder alone" >&2
# The stamp goes first and comes back last: an interrupted set-up is started again from nothing.
rm -f "$stamp"
"$python" -m venv --clear .venv
# Twice quiet: what a machine's own pip settings warn of is none of ours.
pip() { .venv/bin/python -I -m pip --disable-pip-version-check --no-input "$@"; }
if ! pip install -qq --require-hashes --only-binary :all: -r requirements.lock ||
    ! pip install -qq --no-index --no-deps --no-build-isolation -e .; then
    echo "stressweb: the locked requirements could not be installed; pip says why above" >&2
    exit 3
fi
.venv/bin/python -I -S -c "$fingerprint" >"$stamp.part"
mv "$stamp.part" "$stamp"
