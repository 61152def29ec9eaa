#!/usr/bin/env bash
#SBATCH --job-name=cifar10_quick
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=2
#SBATCH --cpus-per-task=4
#SBATCH --time=01:00:00
#SBATCH --signal=TERM@60
# train_quick.sh as a Slurm job: `sbatch examples/cifar10/slurm_train_quick.sh` from the top of the repository, which all nodes see
# under the same path. Options of sbatch on the command line go before those above: `sbatch --nodes=4 ...`. With GPUs, add
# `--gpus-per-task=1`, and `-gpu auto` after the script's name; arguments go to `caffe train`. A minute before the time is over Slurm sends
# SIGTERM: all ranks stop at the same iteration with a snapshot.
#   MPI_TYPE   srun's --mpi (default: pmi2, which the MPI library from pip understands; pmix for Open MPI)
set -euo pipefail
cd "${SLURM_SUBMIT_DIR:?is missing: start this script by sbatch}"
tools/dev/venv mpich tools

launch=(srun --mpi="${MPI_TYPE:-pmi2}" --kill-on-bad-exit=1)
echo "Starting with: ${launch[*]} (${SLURM_NTASKS:-?} tasks on ${SLURM_JOB_NODELIST:-?})"
LAUNCH=$(printf '%q ' "${launch[@]}")
export LAUNCH OMP_NUM_THREADS=${SLURM_CPUS_PER_TASK:-1} LOG=${LOG:-examples/cifar10/cifar10_quick_slurm.log}
exec examples/cifar10/train_quick.sh "$@"
