#!/usr/bin/env bash
# Try this machine's GPU with the emulator, in about two minutes:
#   PYTHON=~/venvs/torch/bin/python bash check.sh
# PYTHON is one that has PyTorch (default: python3); the command modelarts must be on PATH.
# It trains by hand and with `modelarts run`, then two jobs on one GPU: one after the other, and both at once. It reads
# their metrics, and takes the exam. The figures can go into an issue as they are printed.
# The exit status is 0 if all held, 1 if something did not, 2 if something is missing here.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
python=${PYTHON:-python3}
epochs=${EPOCHS:-8} # of about a second each
failures=0

missing() {
    echo "check.sh: $1" >&2
    exit 2
}

# Print one line of the result: what should hold, and a command whose status says whether it did.
held() {
    local what=$1
    shift
    if "$@"; then
        echo "ok         $what"
    else
        echo "FAILED     $what"
        failures=$((failures + 1))
    fi
}

# A calculation with decimals, and whether one is true.
calculate() { awk "BEGIN { printf \"%.2f\", $1 }"; }
is_true() { awk "BEGIN { exit !($1) }"; }
now() { date +%s.%N; }

command -v modelarts > /dev/null || missing "the command modelarts is not on PATH: install modelarts-toolkit[local]"
command -v nvidia-smi > /dev/null || missing "no GPU of NVIDIA: nvidia-smi is not on PATH"
nvidia-smi -L > /dev/null || missing "no GPU of NVIDIA: nvidia-smi lists none"
command -v "$python" > /dev/null || missing "$python is not a program: name a Python by PYTHON=..."
python=$(command -v "$python")
"$python" -c "import torch" 2> /dev/null || missing "$python has no PyTorch: name another Python by PYTHON=..."
"$python" -c "import sys, torch; sys.exit(not torch.cuda.is_available())" ||
    missing "PyTorch of $python sees no GPU: install a build with CUDA that fits the driver"

work=$(mktemp -d)
emulator() { modelarts emulator "$@" --data-dir "$work/data"; }
finish() {
    emulator stop > "$work/stop.txt" 2>&1 || true
    rm -rf "$work"
}
trap finish EXIT
cd "$work"
cp "$here/train.py" .

echo "machine    $(nvidia-smi --query-gpu=name --format=csv,noheader | sort | uniq -c | sed 's/^ *//;s/$/;/' | tr '\n' ' ')"
echo "driver     $(nvidia-smi --query-gpu=driver_version --format=csv,noheader | head -n 1)"
echo "versions   $("$python" -c "import platform, torch; print('Python', platform.python_version(), 'PyTorch', torch.__version__)"), $(modelarts --version)"

steps=$("$python" train.py --calibrate | sed -n 's/^steps //p')

# By hand, and with modelarts run.
start=$(now)
"$python" train.py --train_url=by-hand --epochs="$epochs" --steps="$steps" > by-hand.txt
by_hand=$(calculate "$(now) - $start")
start=$(now)
status=0
modelarts run train.py --new --gpus 1 --engine "$python" --out out -- --epochs "$epochs" --steps "$steps" \
    > run.txt 2> run-notes.txt || status=$?
run=$(calculate "$(now) - $start")
grep '^Training ' run-notes.txt || true
held "modelarts run trains" [ "$status" = 0 ]
held "it fetches the checkpoint" [ -s out/checkpoint.pt ]
held "it says on which GPU it trains" grep -q '^Training on GPU' run-notes.txt
echo "figure     by hand $by_hand s, modelarts run $run s, ratio $(calculate "$run / $by_hand")"

# Start an emulator that gives jobs the first GPU; the arguments are further options.
start_emulator() {
    emulator start --port 0 --obs-port 0 --engine "*=$python" --metrics-period 2 \
        --devices "$(nvidia-smi --query-gpu=index --format=csv,noheader | head -n 1)" "$@" > start.txt 2>&1 || {
        cat start.txt >&2
        exit 1
    }
    eval "$(emulator env)"
}

# Submit a job of this name that needs one GPU.
submit() {
    modelarts job submit --name "$1" --exact-name --code "$work/code" --boot train.py --engine 'pytorch_1.8*' \
        --flavor local.gpu --output "train_url=$work/out-$1" \
        --parameter "epochs=$epochs" --parameter "steps=$steps" --detach > "submit-$1.txt" 2>&1
}

# Wait for jobs, and keep their logs.
finished() {
    for job in "$@"; do
        modelarts job wait "$job" > "wait-$job.txt" 2>&1 || cat "wait-$job.txt" >&2
        modelarts job logs "$job" > "$job.txt"
    done
}

# The time that a job printed as its begin or end; 0 if it did not.
moment() { sed -n "s/^$1 //p" "$2.txt" | grep . || echo 0; }

mkdir code
cp train.py code/

start_emulator
submit first
submit second
emulator status
modelarts job get second | grep '^Why' > why.txt || true
cat why.txt
held "a second job on the same GPU waits, and says for what" grep -q 'waiting for resources' why.txt
finished first second
held "it begins after the first one has ended" \
    is_true "$(moment ended first) > 0 && $(moment began second) > $(moment ended first)"
echo "figure     $(calculate "$(moment began second) - $(moment ended first)") s from the end of one job to the begin of the next"
modelarts job metrics first
modelarts job metrics first -o json > metrics.json
held "gpuUtil of the job is above 0" "$python" -c \
    'import json; assert any((row.get("gpuUtil") or 0) > 0 for row in json.load(open("metrics.json")))'
emulator stop > stop.txt 2>&1

start_emulator --share-devices 2
submit third
submit fourth
finished third fourth
held "with --share-devices 2 both run at once" is_true \
    "$(moment began fourth) < $(moment ended third) && $(moment began third) < $(moment ended fourth)"
emulator stop > stop.txt 2>&1

status=0
modelarts exam train.py --gpus 1 --engine "$python" -- --epochs "$epochs" --steps "$steps" 2> exam-notes.txt || status=$?
held "the training goes on after a preemption" [ "$status" = 0 ]

if [ "$failures" != 0 ]; then
    echo "$failures of these did not hold."
    exit 1
fi
echo "All of these held."
