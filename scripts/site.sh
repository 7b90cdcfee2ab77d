#!/bin/sh
# Build the docs site into build/site, or another folder that is named. What builds it is locked by hash, and goes into an
# environment of its own below .cache: the product and its tests never need it.
set -eu
cd "$(dirname "$0")/.."

own=.cache/docs-site
stamp=$own/.locked
python=$(sh scripts/find-python.sh)
"$python" -I runner/commands/precheck.py
lock=$("$python" -I -c 'import hashlib, sys; print(hashlib.sha256(open("requirements-docs.lock", "rb").read() + sys.version.encode()).hexdigest())')
if [ "$(cat "$stamp" 2>/dev/null)" != "$lock" ]; then
    echo "stressweb: installing what builds the docs site into $own, once" >&2
    "$python" -m venv --clear "$own"
    if ! "$own/bin/python" -I -m pip install -qq --disable-pip-version-check --no-input --require-hashes --only-binary :all: \
        -r requirements-docs.lock; then
        echo "stressweb: what builds the docs site could not be installed; pip says why above" >&2
        exit 3
    fi
    echo "$lock" >"$stamp"
fi
# Its makers announce a successor at every start.
export NO_MKDOCS_2_WARNING=1
# Not --quiet, with which MkDocs counts no warnings: what it prints is shown only if one of them fails the site.
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! "$own/bin/python" -P -m mkdocs build --strict --config-file mkdocs.yml --site-dir "${1:-build/site}" >"$log" 2>&1; then
    cat "$log" >&2
    echo "stressweb: the docs site could not be built; MkDocs says why above" >&2
    exit 3
fi
echo "stressweb: the docs site is in ${1:-build/site}; stressweb docs shows it" >&2
