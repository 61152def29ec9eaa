#!/usr/bin/env bash
# Makes .venv if needed and runs the tests; arguments go to pytest: tests/run.sh -k pooling
# tests/run.sh --quick is an answer within a minute: the tests of the files that you changed, and one in twelve of the others.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tools/dev/venv mpich tools dev
unset PYTHONDONTWRITEBYTECODE # else each of some hundred processes compiles caffepy and the tests anew
export OMP_NUM_THREADS="${OMP_NUM_THREADS:-1}"
# two: with a third one, jobs of several ranks that must end within seconds come too late on two processors
exec .venv/bin/python -m pytest -n 2 --dist worksteal "$@"
