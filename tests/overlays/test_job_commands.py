"""Commands of custom images, and the arguments that the service adds to them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from modelarts_toolkit.jobfiles.checks import warnings_about

TAKING = """\
python train.py
bash run.sh "$@"
./run.sh
/home/ma-user/anaconda3/bin/conda run -n python-3.7.10 python /home/ma-user/modelarts/user-job-dir/code/train.py
export PATH=/home/ma-user/anaconda3/envs/python-3.7.10/bin:$PATH; python /home/ma-user/modelarts/user-job-dir/code/x.py
cd /home/ma-user/ddp_demo && sh run_ddp.sh
torchrun --nproc_per_node=8 train.py --epochs 3
python -m torch.distributed.launch --nproc_per_node $(nproc) train.py
accelerate launch train.py
deepspeed --num_gpus=8 train.py
mpirun -np 8 python x.py
nohup python -u train.py > /cache/log.txt 2>&1
CUDA_VISIBLE_DEVICES=0,1 OMP_NUM_THREADS=4 python3.9 train.py --name "a; b # c & d"
timeout 3600 python train.py
cat config.json | python train.py
python -c 'import sys; print(sys.argv)'
bash -c 'python train.py "$@"' --
if [ -d /cache/x ]; then rm -r /cache/x; fi; python train.py
python train.py 2>&1 >/dev/null
llamafactory-cli train x.yaml
echo it\\'s on && python train.py
"""
NOT_TAKING = {
    "sleep 60": "here that is sleep",
    "nvidia-smi": "nvidia-smi",
    "cd /home/ma-user/code && tail -f /dev/null": "tail",
    "python train.py && echo done": "echo",
    "python train.py || exit 1": "exit",
    "python train.py 2>&1 | tee /cache/log.txt": "tee",
    "python train.py | grep loss": "grep",
    "timeout 60 sleep 50": "sleep",
    "/usr/bin/env": "env",
    "python train.py & wait": "wait",
    "python train.py &": "ends with '&'",
    "python train.py;": "ends with ';'",
    "python train.py # train": "ends with '# train'",
    "(cd code; python train.py)": "ends with ')'",
    "for i in 1 2; do python train.py; done": "ends with 'done'",
    "bash -c 'cd code && python train.py'": '"$@"',
    "python": "python",
    "python train.py 'a": "quote without its end",
    "cat <<X\na\nX": "several lines",
    "cd code\npython train.py": "several lines",
}
ARGUMENTS: list[Any] = [
    {"parameters": [{"name": "n", "value": "1"}]},
    {"inputs": [{"name": "n", "remote": {"obs": {"obs_url": "/b/x/"}}}]},
    {"outputs": [{"name": "n", "access_method": "parameter", "remote": {"obs": {"obs_url": "/b/x/"}}}]},
]
AS_VARIABLES = {"inputs": [{"name": "n", "access_method": "env", "remote": {"obs": {"obs_url": "/b/x/"}}}]}


def warnings(command: str, algorithm: Mapping[str, Any]) -> list[str]:
    request: Any = {"algorithm": {"command": command, **algorithm}}
    return [str(each) for each in warnings_about(request)]


@pytest.mark.parametrize("command", [*TAKING.splitlines(), "python train.py\n"])
def test_nothing_is_said_of_a_command_that_ends_with_the_script(command: str) -> None:
    assert warnings(command, ARGUMENTS[0]) == []


@pytest.mark.parametrize("command", NOT_TAKING)
def test_a_command_that_cannot_take_the_arguments_is_warned_of(command: str) -> None:
    """The warning names an argument, the reason and the remedy; without arguments there is none."""
    for algorithm in ARGUMENTS:
        (warning,) = warnings(command, algorithm)
        assert warning.startswith("algorithm.command: the service adds --n=... behind the last command, and "), warning
        assert NOT_TAKING[command] in warning, warning
        assert "access_method: env" in warning, warning

    assert warnings(command, {}) == warnings(command, AS_VARIABLES) == []
