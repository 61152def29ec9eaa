#!/usr/bin/env bash
# Sourced by the run.sh of each example, which sets `example` to the name of its folder first.
# Makes .venv, goes to the top folder, and gives what all of them need:
#   $out          the folder for all that the example makes: $OUT, or examples/NAME/out
#   step TEXT     a line with the seconds since the start
#   short A B     A, or B where SHORT=1 asks for the short form, which tries every step within seconds
#   place FILE... copies prototxts of the example to $out, with its paths
#   train ARGS... `caffe train`, on $MPI ranks where that is set; its log is also written to $out/train.log
#   finish PICTURE 'NAME VALUE >= NEEDED'...   the last line, $out/result.json, and exit code 1 where a figure was not reached
# Settings that cannot work are told before anything is made. Folders count from where the script was started.
refuse() {
    printf '%s: %s\n' "$example" "$*" >&2
    exit 1
}

if [ -n "${MPI:-}" ] && ! [[ $MPI =~ ^[1-9][0-9]{0,3}$ ]]; then refuse "MPI=$MPI; needed: a number of ranks, such as 2"; fi
if [ -n "${MAX_ITER:-}" ] && ! [[ $MAX_ITER =~ ^[1-9][0-9]*$ ]]; then refuse "MAX_ITER=$MAX_ITER; needed: a number of iterations"; fi
out=${OUT:-examples/$example/out}
if [ -n "${OUT:-}" ]; then
    out=$(realpath -m -- "$OUT")
    # Caffe's lists are split at blanks; the others have a meaning in the patterns that put $out into prototxts.
    if [[ $out =~ [[:space:]\#\&\"\\] ]]; then refuse "OUT=$out; needed: a folder without blanks and none of # & \" \\ in its name"; fi
    if [ -e "$out" ] && [ ! -d "$out" ]; then refuse "OUT=$out is a file; needed: a folder"; fi
fi
for setting in VOC CAMVID LFW PEOPLE CHAIRS BSDS MNIST PICTURES UCF101 SPLITS; do
    [ -n "${!setting:-}" ] || continue
    [ -d "${!setting}" ] || refuse "$setting=${!setting}: there is no such folder (looked in $PWD)"
    export "$setting=$(realpath -- "${!setting}")"
    # An example removes what it has made before.
    if [ -n "${OUT:-}" ] && [[ ${!setting}/ == "$out"/* ]]; then refuse "$setting=${!setting} lies in OUT=$out; needed: another folder for OUT"; fi
done

cd "$(dirname "${BASH_SOURCE[0]}")/../.."

step() { printf '[%4ds] %s\n' "$SECONDS" "$*"; }

tools/dev/venv mpich tools
PATH=$PWD/.venv/bin:$PATH
export PYTHONPATH=$PWD/examples/common:$PWD/examples/$example${PYTHONPATH:+:$PYTHONPATH}
unset GLOG_minloglevel # figures are read from the logs
mkdir -p "$out"
rm -f "$out/result.json"

short() { if [ -n "${SHORT:-}" ]; then echo "$2"; else echo "$1"; fi; }

place() {
    local file
    for file in "$@"; do
        mkdir -p "$(dirname "$out/$file")"
        sed -e "s#examples/$example/out/#@out@#g" -e "s#\(net: *\"\)examples/$example/#\1@out@#" -e "s#@out@#$out/#g" "examples/$example/$file" >"$out/$file"
    done
}

launch=()
[ -z "${MPI:-}" ] || launch=(mpirun -n "$MPI")
train() { ${launch[@]+"${launch[@]}"} "$PWD/.venv/bin/caffe" train "$@" 2>&1 | tee -i -a "$out/train.log"; }
rm -f "$out/train.log"
trap 'exit 130' INT # an interrupt stops the training with a snapshot; do not go on to the next step

# Seconds of processor time of all that was run so far. `times` in a pipe would tell those of the pipe.
processor_seconds() { awk '{ for (i = 1; i <= 2; i++) { split($i, part, /[ms]/); sum += 60 * part[1] + part[2] } } END { print int(sum + 0.5) }' "$out/times.tmp.txt"; }

finish() {
    local picture=$1 used
    shift
    times >"$out/times.tmp.txt"
    used=$(processor_seconds)
    python examples/common/result.py --out "$out" --example "$example" --picture "$picture" --seconds "$SECONDS" --processor-seconds "$used" \
        ${SHORT:+--short} ${MPI:+--ranks "$MPI"} "$@"
}
