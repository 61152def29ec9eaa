#!/usr/bin/env bash
# train_quick.sh on several processes, each with batches of its own: the batch is NP times as large.
#   NP         processes (default 2)
#   HOSTS      host1,host2,... to run on, or HOSTFILE, lines of `host`, `host:count` or `host slots=count` (default: this machine)
#   MPIRUN     the launcher (default: the site's mpirun if it is on PATH, else the one that pip put into .venv)
# All hosts have to see this folder under the same path. Arguments go to `caffe train`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
tools/dev/venv mpich tools

mpirun=${MPIRUN:-$(command -v mpirun || echo "$PWD/.venv/bin/mpirun")}
launch=("$mpirun" -n "${NP:-2}")
if "$mpirun" --version 2>&1 | grep -qiE 'open.?mpi|open.?rte|prrte'; then
    [ "$(id -u)" != 0 ] || launch+=(--allow-run-as-root)
    [ -z "${HOSTS:-}" ] || launch+=(--host "$HOSTS")
    # a laptop has fewer cores than this MPI would like for a rank each
    [ -n "${HOSTS:-}${HOSTFILE:-}" ] || launch+=(--oversubscribe)
    hostfile=--hostfile edit='s/:\([0-9][0-9]*\)$/ slots=\1/'
else
    [ -z "${HOSTS:-}" ] || launch+=(-hosts "$HOSTS")
    hostfile=-f edit='s/[[:space:]]*slots=\([0-9][0-9]*\)/:\1/'
fi
if [ -n "${HOSTFILE:-}" ]; then
    sed -e "$edit" "$HOSTFILE" >examples/cifar10/hosts.tmp.txt
    launch+=("$hostfile" "$PWD/examples/cifar10/hosts.tmp.txt")
fi

echo "Starting with: ${launch[*]}"
LAUNCH=$(printf '%q ' "${launch[@]}")
export LAUNCH LOG=${LOG:-examples/cifar10/cifar10_quick_mpi.log}
exec examples/cifar10/train_quick.sh "$@"
