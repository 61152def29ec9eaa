#!/usr/bin/env bash
# Makes .venv if needed and runs the tests; arguments go to pytest: tests/run.sh -k pooling
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tools/dev/venv mpich tools dev
export OMP_NUM_THREADS="${OMP_NUM_THREADS:-1}"
exec .venv/bin/python -m pytest -n 2 --dist worksteal "$@"
