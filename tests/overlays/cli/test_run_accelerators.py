"""`modelarts run` on a machine with GPUs or NPUs: how many it takes, and what it says about them."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TypeAlias

import pytest
from tests.accelerators import Machine, gpus
from tests.overlays.cli.conftest import Run

from modelarts_emulator.execution.protocol import Device
from modelarts_emulator.server import Emulator
from modelarts_toolkit.local.resources import PROBE

SCRIPT = """\
import os
visible = os.environ.get("CUDA_VISIBLE_DEVICES") or os.environ.get("ASCEND_RT_VISIBLE_DEVICES")
print(os.environ["MA_NUM_GPUS"], visible or "none")
"""
NAME = "NVIDIA A100-SXM4-40GB"
TORCH = "from typing import Optional\n__version__ = '2.9.1'\ncuda: Optional[str] = {}\nhip: Optional[str] = None\n"
BUILD_INFO = "build_info = collections.OrderedDict([('cuda_version', '12.5.1'), ('is_cuda_build', {})])\n"

MakePython: TypeAlias = Callable[[dict[str, str]], Path]
Start: TypeAlias = Callable[[Path, list[Device] | str], Emulator]


@pytest.fixture(scope="module")
def make_python(tmp_path_factory: pytest.TempPathFactory) -> MakePython:
    """`make_python({"torch/version.py": "..."})`: a Python in a virtual environment with these files as packages."""

    def make_python(files: dict[str, str]) -> Path:
        folder = tmp_path_factory.mktemp("environment")
        (folder / "bin").mkdir()
        base = Path(sys.executable).resolve()
        (folder / "bin" / "python").symlink_to(base)
        (folder / "pyvenv.cfg").write_text(f"home = {base.parent}\n")
        for name, text in files.items():
            file = folder / "lib" / f"python3.{sys.version_info.minor}" / "site-packages" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        return folder / "bin" / "python"

    return make_python


@pytest.fixture(scope="module")
def with_cuda(make_python: MakePython) -> Path:
    return make_python({"torch/version.py": TORCH.format("'12.8'")})


@pytest.fixture
def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    """`start(python, devices)` starts the emulator that commands find; the current folder has `train.py`."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(SCRIPT)

    with ExitStack() as stack:

        def start(python: Path, devices: list[Device] | str) -> Emulator:
            emulator = stack.enter_context(Emulator(tmp_path / "data", engines={"*": python}, devices=devices))
            for name, value in emulator.environment().items():
                monkeypatch.setenv(name, value)
            return emulator

        yield start


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """A machine with one GPU, on which no emulator runs; the current folder has `train.py`."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "no-emulator"))
    Path("train.py").write_text(SCRIPT)
    return Machine(tmp_path, gpus(1))


def devices(count: int, kind: str = "gpu", name: str = NAME) -> list[Device]:
    ids = [f"GPU-{index}" if kind == "gpu" else str(index) for index in range(count)]
    return [Device(each, kind, str(index), name, 40 << 30) for index, each in enumerate(ids)]  # type: ignore[arg-type]


def notes(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith(("Training on", "Training without", "The emulator"))]


@pytest.mark.parametrize(
    ("files", "kinds"),
    [
        ({"torch/version.py": TORCH.format("'12.8'")}, {"gpu"}),
        ({"torch/version.py": TORCH.format("None"), "torch-2.9.1+cpu.dist-info/METADATA": ""}, set()),
        ({"torch-2.1.0+cu121.dist-info/METADATA": ""}, {"gpu"}),
        ({"nvidia_cuda_runtime_cu12-12.8.90.dist-info/METADATA": ""}, {"gpu"}),
        ({"jax_cuda12_plugin-0.7.0.dist-info/METADATA": ""}, {"gpu"}),
        ({"jax-0.7.0.dist-info/METADATA": "", "gpustat-1.1.dist-info/METADATA": ""}, set()),
        ({"tensorflow/python/platform/build_info.py": BUILD_INFO.format(True)}, {"gpu"}),
        ({"tensorflow/python/platform/build_info.py": BUILD_INFO.format(False)}, set()),
        ({"../../../conda-meta/cuda-cudart-12.8.90-hb9d3cd8_1.json": ""}, set()),  # of a base that is another one
        ({"torch_npu-2.1.0.dist-info/METADATA": ""}, {"npu"}),
        ({"mindspore-2.5.0.dist-info/METADATA": ""}, {"npu"}),
        ({}, set()),
    ],
)
def test_packages_say_for_which_accelerators_they_are(
    make_python: MakePython, files: dict[str, str], kinds: set[str]
) -> None:
    python = make_python(files)

    found = {kind: subprocess.run([python, PROBE, kind], stdout=subprocess.PIPE).stdout for kind in ("gpu", "npu")}

    assert found == {kind: b"yes" if kind in kinds else b"no" for kind in ("gpu", "npu")}


def test_a_python_without_cuda_leaves_the_gpus_to_others_and_the_command_says_so(
    run: Run, start: Start, make_python: MakePython
) -> None:
    """A variable of the script that leads Python to other packages counts."""
    python = make_python({})
    start(python, devices(1))
    Path("packages/torch").mkdir(parents=True)
    Path("packages/torch/version.py").write_text(TORCH.format("'12.8'"))

    without = run("run", "train.py")
    with_packages = run("run", "train.py", "--env", f"PYTHONPATH={Path('packages').absolute()}")

    assert (without.exit_code, without.stdout) == (0, "0 none\n"), without.stderr
    why = f"this Python has no CUDA: {python}; choose another Python with --engine, or their number with --gpus."
    assert notes(without.stderr) == [f"Training without the accelerators of this machine: {why}"]
    assert notes(with_packages.stderr) == [f"Training on GPU 0 ({NAME})."]


def test_npus_need_libraries_of_their_own(run: Run, start: Start, make_python: MakePython, with_cuda: Path) -> None:
    start(make_python({"torch_npu-2.1.0.dist-info/METADATA": ""}), devices(1, "npu", "910B3"))

    done = run("run", "train.py")

    assert (done.stdout, notes(done.stderr)) == ("0 0\n", ["Training on NPU 0 (910B3)."]), done.stderr


@pytest.mark.parametrize(
    ("options", "printed", "said"),
    [
        (["--gpus", 1], "1 GPU-0", f"Training on GPU 0 ({NAME})."),
        (["--gpus", 0], "0 none", "Training without the accelerators of this machine: the flavor modelarts.vm.cpu."),
        (["--flavor", "local.gpu.2"], "2 GPU-0,GPU-1", f"Training on 2 GPUs ({NAME}): 0, 1."),
        (["--flavor", "modelarts.vm.cpu.8u"], "0 none", "Training without the accelerators of this machine: the fl"),
        (["--gpus", 2, "--env", "CUDA_VISIBLE_DEVICES=1"], "2 GPU-1", None),
    ],
)
def test_the_number_can_be_chosen(
    run: Run,
    start: Start,
    with_cuda: Path,
    options: list[str],
    printed: str,
    said: str | None,
) -> None:
    """Nothing is said of a script that is told by a variable which of its GPUs to use."""
    start(with_cuda, devices(3))

    done = run("run", "train.py", *options)

    assert (done.exit_code, done.stdout) == (0, f"{printed}\n"), done.stderr
    assert [line[: len(said or "")] for line in notes(done.stderr)] == ([said] if said else [])


def test_what_no_flavor_has_is_rejected_with_what_there_is(run: Run, start: Start, with_cuda: Path) -> None:
    start(with_cuda, devices(2))

    many = run("run", "train.py", "--gpus", 7)
    both = run("run", "train.py", "--gpus", 1, "--flavor", "local.gpu")
    nodes = run("run", "train.py", "--nodes", 3)

    assert (many.exit_code, both.exit_code, nodes.exit_code) == (2, 2, 2)
    assert "3 nodes with 1 each are more than the 2 GPUs that the emulator gives out: choose" in nodes.stderr
    assert "no flavor has 7 GPUs or NPUs: choose --gpus from 0, 1, 2" in many.stderr
    assert "a flavor has a number of GPUs: give --flavor or --gpus, not both" in both.stderr


def test_only_free_gpus_are_taken_and_divided_between_the_nodes(run: Run, start: Start, with_cuda: Path) -> None:
    """Another job has one of four GPUs: two nodes get one each, of the flavor that is made of this machine."""
    start(with_cuda, devices(4))
    Path("busy.py").write_text("import time\ntime.sleep(600)\n")
    other = ["--flavor", "local.gpu", "--engine", "pytorch_1.8*", "--detach", "--name", "busy"]
    assert run("job", "submit", "--code", ".", "--boot", "busy.py", *other).exit_code == 0
    assert run("job", "wait", "busy", "--until", "Running").exit_code == 0

    done = run("run", "train.py", "--nodes", 2, "--timeout", 60)

    assert sorted(re.findall(r"1 (GPU-\d)\n", done.stdout)) == ["GPU-1", "GPU-2"], done.stderr
    assert notes(done.stderr) == [f"Training on 2 GPUs ({NAME}): 1, 2."]


def test_nodes_of_a_run_share_a_gpu_if_there_are_too_few(run: Run, with_cuda: Path, machine: Machine) -> None:
    """In an emulator of its own, which finds the GPU by nvidia-smi."""
    done = run("run", "train.py", "--nodes", 2, "--engine", with_cuda, PATH=machine.path)

    assert len(re.findall(r"1 GPU-0", done.stdout)) == 2, done.stderr
    assert notes(done.stderr) == [f"Training on GPU 0 ({NAME})."]


@pytest.mark.ci
def test_packages_that_are_installed_later_are_not_judged(run: Run, make_python: MakePython, machine: Machine) -> None:
    """Requirements may bring CUDA."""
    Path("requirements.txt").touch()
    python = make_python({})

    done = run("run", "train.py", "--requirements", "requirements.txt", "--engine", python, PATH=machine.path)

    assert notes(done.stderr) == [f"Training on GPU 0 ({NAME})."], done.stderr


def test_without_accelerators_a_flavor_with_gpus_is_a_name_and_the_command_says_so(
    run: Run, start: Start, with_cuda: Path
) -> None:
    """Of another flavor nothing is said."""
    start(with_cuda, "none")
    name_only = "The emulator gives out no GPU: the flavor modelarts.p3.large.public.free is a name only."

    for options, printed, said in (([], "0 none\n", []), (["--gpus", 1], "1 none\n", [name_only])):
        done = run("run", "train.py", *options)
        assert (done.stdout, notes(done.stderr)) == (printed, said), done.stderr


def test_a_tool_that_fails_is_named(run: Run, with_cuda: Path, machine: Machine) -> None:
    machine.answer("NVIDIA-SMI has failed", 9)

    (said,) = notes(run("run", "train.py", "--gpus", 1, "--engine", with_cuda, PATH=machine.path).stderr)

    assert "is a name only." in said
    assert "nvidia-smi lists no accelerators (NVIDIA-SMI has failed)" in said


def test_the_default_is_of_one_kind_and_one_slice(run: Run, start: Start, with_cuda: Path) -> None:
    """A program can use only one slice, and a library knows only cards of its vendor."""
    slices = [Device(f"MIG-{number}", "gpu", f"0.{number}", "Slice", 5 << 30, "GPU-9") for number in range(2)]
    both = [*devices(2), *devices(3, "npu", "910B3")]
    for found, printed, said in (
        (both, "2 GPU-0,GPU-1\n", f"Training on 2 GPUs ({NAME}): 0, 1."),
        (slices, "1 MIG-0\n", "Training on GPU 0.0 (Slice)."),
    ):
        emulator = start(with_cuda, found)
        done = run("run", "train.py")
        emulator.__exit__(None, None, None)
        assert (done.stdout, notes(done.stderr)) == (printed, [said]), done.stderr


def test_an_emulator_of_a_run_takes_only_what_a_running_one_has_left(
    run: Run, start: Start, with_cuda: Path, tmp_path: Path
) -> None:
    """With nothing left, the command ends with what to do, unless it wants no GPU; without jobs, the shell chooses."""
    machine = Machine(tmp_path / "machine", gpus(2))
    cards = [Device(card.uuid, "gpu", str(number)) for number, card in enumerate(gpus(2))]
    start(with_cuda, cards)
    Path("busy.py").write_text("import time\ntime.sleep(600)\n")
    chosen = run("run", "train.py", "--new", "--engine", with_cuda, PATH=machine.path, CUDA_VISIBLE_DEVICES="1")
    assert chosen.stdout.split() == ["1", cards[1].id], chosen.stderr
    for name in ("first", "second"):
        done = run("run", "train.py", "--new", "--engine", with_cuda, PATH=machine.path, CUDA_VISIBLE_DEVICES="0,1")
        left = cards[:2] if name == "first" else cards[1:]
        assert done.stdout.split() == [str(len(left)), ",".join(card.id for card in left)], done.stderr
        other = ["--flavor", "local.gpu", "--engine", "pytorch_1.8*", "--detach", "--name", name]
        assert run("job", "submit", "--code", ".", "--boot", "busy.py", *other).exit_code == 0, name
        assert run("job", "wait", name, "--until", "Running").exit_code == 0, name

    full = run("run", "train.py", "--new", "--engine", with_cuda, PATH=machine.path)
    without = run("run", "train.py", "--new", "--engine", with_cuda, "--gpus", 0, PATH=machine.path)

    assert full.exit_code == 1
    assert "have all GPUs or NPUs that it gives out: wait until one is free (modelarts emulator status)" in full.stderr
    assert (without.exit_code, without.stdout) == (0, "0 none\n"), without.stderr


def test_a_rehearsal_gets_the_gpus_too(
    run: Run, project: Path, service: Emulator, with_cuda: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Whatever flavor the job will have at the service."""
    (project / "code" / "train.py").write_text("import os\nprint('GPUs', os.environ['MA_NUM_GPUS'])\n")
    variables = {"PATH": Machine(tmp_path_factory.mktemp("machine"), gpus(1)).path}

    done = run(
        "job", "submit", "job.yaml", "--detach", "--rehearse", **variables, VIRTUAL_ENV=str(with_cuda.parents[1])
    )

    assert "\nGPUs 1\n" in done.stderr
