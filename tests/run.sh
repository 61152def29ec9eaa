#!/usr/bin/env bash
# Makes .venv if needed and runs the tests; arguments go to pytest: tests/run.sh -k pooling
# tests/run.sh --quick is an answer within a minute: the tests of the files that you changed, and one in twelve of the others.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tools/dev/venv mpich tools dev
export OMP_NUM_THREADS="${OMP_NUM_THREADS:-1}"
# three on two cores: a third of the time is waiting, for ranks that are silent or limits that run out
exec .venv/bin/python -m pytest -n 3 --dist worksteal "$@"
