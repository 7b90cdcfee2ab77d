#!/bin/sh
# Print the path of a CPython from 3.12 on that can make environments; say what to install if there is none.
set -eu

# A name on PATH may be a shim for a version that is not there, so each one is run.
probe='
import sys, sysconfig
# Free-threaded builds have no wheels of half of what we need.
if sys.version_info < (3, 12) or sys.implementation.name != "cpython" or sysconfig.get_config_var("Py_GIL_DISABLED"):
    sys.exit(1)
try:
    import ensurepip, venv
except ImportError:
    sys.exit(3)
print(sys.executable)
'
bare=
# What pyenv has installed but not selected comes last.
pyenv="${PYENV_ROOT:-${HOME:-}/.pyenv}/versions"
for name in python3.14 python3.13 python3.12 python3 "$pyenv"/3.14*/bin/python3 "$pyenv"/3.1[23]*/bin/python3; do
    command -v "$name" >/dev/null 2>&1 || continue
    status=0
    found=$("$name" -I -c "$probe" 2>/dev/null) || status=$?
    if [ "$status" -eq 0 ] && [ -n "$found" ]; then
        printf '%s\n' "$found"
        exit 0
    fi
    [ "$status" -ne 3 ] || bare=$name
done
if [ -n "$bare" ]; then
    echo "stressweb: $bare cannot make environments; install its venv module (Debian, Ubuntu: apt-get install python3-venv)" >&2
else
    echo "stressweb: no Python 3.12 or newer on PATH; install one (Debian, Ubuntu: apt-get install python3 python3-venv; macOS: brew install python@3.13; or pyenv install 3.12)" >&2
fi
exit 2
