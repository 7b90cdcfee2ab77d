#!/bin/sh
# Write requirements.lock anew: one file for Python 3.12 to 3.14 on every platform, each wheel by its hash, no registry.
# Needs the network and is for maintainers alone; versions in the present lock are kept unless `--upgrade` is given.
set -eu
cd "$(dirname "$0")/.."

python=$(sh scripts/find-python.sh)
tools=$(mktemp -d)
trap 'rm -rf "$tools"' EXIT
"$python" -m venv "$tools"
"$tools/bin/pip" install --quiet --disable-pip-version-check 'uv>=0.8,<1'
"$tools/bin/uv" pip compile --quiet --universal --python-version 3.12 --generate-hashes --no-header --group dev \
    --output-file requirements.lock "$@" pyproject.toml
