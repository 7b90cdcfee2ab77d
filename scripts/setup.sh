#!/bin/sh
# Check make's variables, then make .venv: locked requirements and this project. Nothing is done when nothing changed.
set -eu
cd "$(dirname "$0")/.."

stamp=.venv/.stressweb
# What an environment depends on: the locks, the project's own metadata, the interpreter, and where the tree lies.
fingerprint='
import hashlib, os, sys, tomllib
with open("pyproject.toml", "rb") as file:
    project = tomllib.load(file)
lock = b""
for name in ("requirements.lock", "package.json", "package-lock.json"):
    with open(name, "rb") as file:
        lock += file.read()
parts = (project["build-system"], project["project"], project["tool"]["hatch"], sys.version, sys.base_prefix, os.getcwd())
print(hashlib.sha256(lock + repr(parts).encode()).hexdigest())
'

if [ -s "$stamp" ] && now=$(.venv/bin/python -I -S -c "$fingerprint" 2>/dev/null) && [ "$now" = "$(cat "$stamp")" ]; then
    .venv/bin/python -I runner/commands/precheck.py
    # Takes a moment, unless a script of the page has changed since.
    exec .venv/bin/python -I scripts/bundle.py
fi

python=$(sh scripts/find-python.sh)
"$python" -I runner/commands/precheck.py

say() { echo "stressweb: $*" >&2; }
begun=$(date +%s)
seconds() { echo "$(($(date +%s) - begun)) s"; }
# Run a command, and say now and then that it still runs: what is silent for a minute looks as if it hung.
patiently() {
    still=$1
    shift
    # After pauses of 5, 10, 20 and then 30 seconds. It ends with this script, however that ends, and its sleep keeps
    # nobody waiting for the end of our output.
    (
        pause=5
        while sleep "$pause" >/dev/null 2>&1 && kill -0 $$ 2>/dev/null; do
            say "$still, $(seconds) so far"
            pause=$((pause < 15 ? pause * 2 : 30))
        done
    ) &
    beat=$!
    status=0
    "$@" || status=$?
    kill "$beat" 2>/dev/null || true
    wait "$beat" 2>/dev/null || true
    return "$status"
}

packages=$(grep -c '^[^ #].*==' requirements.lock)
say "setting up, once, in three steps: environment, packages, browser; all of it goes into .venv, but for the browser"
# In an archive of the sources there are no links.
for package in runner sites perturbations checkpoints; do
    [ -L "stressweb/$package" ] || [ -e "stressweb/$package" ] || ln -s "../$package" "stressweb/$package"
done
say "environment: making .venv with $("$python" -V)"
# The stamp goes first and comes back last: an interrupted set-up is started again from nothing.
rm -f "$stamp"
patiently "environment: still making .venv" "$python" -m venv --clear .venv
say "packages: downloading and installing $packages locked packages"
# Twice quiet: what a machine's own pip settings warn of is none of ours.
pip() { .venv/bin/python -I -m pip --disable-pip-version-check --no-input "$@"; }
if ! patiently "packages: still installing" pip install -qq --require-hashes --only-binary :all: -r requirements.lock; then
    echo "stressweb: the locked requirements could not be installed; pip says why above" >&2
    exit 3
fi
# What bundles the scripts of the page, and checks them; no run needs it.
if ! patiently "packages: still installing those of Node.js" .venv/bin/python -I scripts/node.py ||
    ! .venv/bin/python -I scripts/bundle.py; then
    exit 3
fi
if ! pip install -qq --no-index --no-deps --no-build-isolation -e .; then
    echo "stressweb: this project could not be installed into .venv; pip says why above" >&2
    exit 3
fi
.venv/bin/python -I -S -c "$fingerprint" >"$stamp.part"
mv "$stamp.part" "$stamp"
say "packages: done after $(seconds), .venv has $(du -sm .venv | cut -f1) MB"
