#!/usr/bin/env bash
# train_quick.sh on several processes, each with batches of its own: the batch is NP times as large.
#   NP         processes (default: those that HOSTFILE has places for, else 2)
#   HOSTS      host1,host2:count,... to run on, or HOSTFILE, a machine file: lines of `host`, `host:count`, `host slots=count` or
#              `id ip port` (default: this machine)
#   MPIRUN     the launcher (default: the site's mpirun if it is on PATH, else the one that pip put into .venv)
# All hosts have to see this folder under the same path. Arguments go to `caffe train`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
tools/dev/venv mpich tools

mpirun=${MPIRUN:-$(command -v mpirun || echo "$PWD/.venv/bin/mpirun")}
hosts=${HOSTS:-}
if [ -n "${HOSTFILE:-}" ]; then
    hosts=$(.venv/bin/caffepy cluster -hosts="$HOSTFILE" -list)
    places=$(tr ',' '\n' <<<"$hosts" | awk -F: '{ sum += $2 } END { print sum }')
fi
launch=("$mpirun" -n "${NP:-${places:-2}}")
if "$mpirun" --version 2>&1 | grep -qiE 'open.?mpi|open.?rte|prrte'; then
    [ "$(id -u)" != 0 ] || launch+=(--allow-run-as-root)
    # a laptop has fewer cores than this MPI would like for a rank each
    [ -n "$hosts" ] && launch+=(--host "$hosts") || launch+=(--oversubscribe)
else
    [ -z "$hosts" ] || launch+=(-hosts "$hosts")
fi

echo "Starting with: ${launch[*]}"
LAUNCH=$(printf '%q ' "${launch[@]}")
export LAUNCH LOG=${LOG:-examples/cifar10/cifar10_quick_mpi.log}
exec examples/cifar10/train_quick.sh "$@"
