#!/usr/bin/env bash
# The fast tests in .venv-newest, made anew: newest libraries, and the newest Python that all of them have wheels for, of
# those named or else of those on PATH.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export PIP_ONLY_BINARY=:all:
(($#)) || set -- python3.{30..11}
for python; do
  "$python" -c "" 2>/dev/null || continue
  rm -rf .venv-newest
  if make VENV=.venv-newest PYTHON="$python" .venv-newest/tested; then
    echo "newest: $(.venv-newest/bin/python -VV)"
    .venv-newest/bin/python -m pip check
    exec make VENV=.venv-newest test
  fi
  echo "$python: not all libraries can be installed from wheels" >&2
done
echo "no Python here has wheels of all libraries" >&2
exit 1
