"""Make the pictures of the terminal anew: `python docs/terminal_pictures.py` writes docs/pictures/*.svg.

Each picture is a real session: its commands run one after the other in a terminal of their own, with an emulator that
is started for them, in a copy of examples/digits. That about GPUs is on a machine with two, which are stand-ins.
"""

from __future__ import annotations

import os
import pty
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

sys.path.append(str(Path(__file__).parents[1]))
from tests.accelerators import Machine, gpus

DOCS = Path(__file__).parent
PICTURES = DOCS / "pictures"
EXAMPLE = DOCS.parent / "examples" / "digits"
MODELARTS = Path(sys.executable).with_name("modelarts")
WIDTH = 104  # columns
PROMPT = "$ "

SESSIONS: Mapping[str, Sequence[str]] = {
    "run": ("modelarts run code/test-pytorch.py --data data --out outputs -- --epochs 5",),
    "job": ("cat job.yaml", "modelarts job submit job.yaml", "modelarts job list"),
    "explain": (
        "modelarts job check job.yaml --flavor modelarts.vm.cpu.9u",
        "modelarts job submit job.yaml --name broken --boot broken.py --detach",
        "modelarts job wait broken",
    ),
    "gpus": ("modelarts emulator status", "modelarts job list", "modelarts job get large", "modelarts job get third"),
}
GPU_JOBS = {"first": "local.gpu", "second": "local.gpu", "large": "local.gpu.2", "third": "local.gpu"}  # by name

JOB = """\
name: digits
code: code
boot: test-pytorch.py
engine: "pytorch_1.8*"
flavor: modelarts.vm.cpu.8u
inputs: {data_url: data}
outputs: {train_url: outputs}
parameters: {epochs: 5}
"""
BROKEN = "import pandas\n\nprint(pandas.read_csv('train.csv'))\n"

# rich's own frame, without the fonts that it would load from elsewhere.
_FONT_FACE = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)
_PYTHON = re.compile(r"/\S*/bin/python[\d.]*")


def main() -> None:
    """Run every session, and write its picture."""
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="modelarts-pictures-") as folder, emulator(Path(folder)) as environment:
        for name in SESSIONS:
            if name != "gpus":
                place = Path(folder, name)
                shutil.copytree(EXAMPLE, place)
                (place / "job.yaml").write_text(JOB)
                (place / "code" / "broken.py").write_text(BROKEN)
                write_picture(name, place, environment)
    with tempfile.TemporaryDirectory(prefix="modelarts-pictures-") as folder:
        place, machine = Path(folder, "work"), Machine(Path(folder), gpus(2))
        (place / "code").mkdir(parents=True)
        (place / "code" / "train.py").write_text("import time\n\ntime.sleep(600)\n")
        with emulator(Path(folder), "--max-running-jobs", "8", path=machine.path) as environment:
            output_of("modelarts obs mb work", place, environment)
            output_of("modelarts obs cp code obs://work/code/", place, environment)
            for name, flavor in GPU_JOBS.items():
                options = f"--code obs://work/code/ --boot train.py --engine 'pytorch_1.8*' --flavor {flavor} --detach"
                output_of(f"modelarts job submit --name {name} {options}", place, environment)
            output_of("modelarts job wait second --until Running", place, environment)
            write_picture("gpus", place, environment)


def write_picture(name: str, place: Path, environment: Mapping[str, str]) -> None:
    """Run a session in this folder, and write its picture."""
    picture = draw(name, [(command, output_of(command, place, environment)) for command in SESSIONS[name]])
    (PICTURES / f"{name}.svg").write_text(picture, "utf-8")
    print(f"{PICTURES / f'{name}.svg'}")


@contextmanager
def emulator(folder: Path, *options: str, path: str = os.environ["PATH"]) -> Iterator[dict[str, str]]:
    """An emulator for the sessions; yields the variables of a shell that uses it."""
    environment = {**os.environ, "XDG_DATA_HOME": str(folder / "data"), "VIRTUAL_ENV": sys.prefix}
    environment |= {"TERM": "xterm-256color", "COLUMNS": str(WIDTH), "PATH": f"{MODELARTS.parent}:{path}"}
    environment.pop("NO_COLOR", None)
    subprocess.run(
        [MODELARTS, "emulator", "start", "--port", "0", "--obs-port", "0", *options], env=environment, check=True
    )
    try:
        printed = subprocess.run(
            [MODELARTS, "emulator", "env"], env=environment, check=True, capture_output=True, text=True
        ).stdout
        exports = [shlex.split(line)[1].partition("=") for line in printed.splitlines() if line.startswith("export ")]
        yield environment | {name: value for name, _, value in exports}
    finally:
        subprocess.run([MODELARTS, "emulator", "stop"], env=environment, check=True)


def output_of(command: str, place: Path, environment: Mapping[str, str]) -> str:
    """What the command prints on a terminal; its status does not matter."""
    terminal, end = pty.openpty()
    with subprocess.Popen(
        shlex.split(command), cwd=place, env=environment, stdin=end, stdout=end, stderr=end, start_new_session=True
    ):
        os.close(end)
        printed = b""
        while True:
            try:
                part = os.read(terminal, 1 << 16)
            except OSError:  # the command has ended
                break
            if not part:
                break
            printed += part
    os.close(terminal)
    text = printed.decode().replace("\r\n", "\n").replace(environment["XDG_DATA_HOME"], "~/.local/share")
    return _PYTHON.sub("/opt/venv/bin/python", text)


def draw(name: str, session: Sequence[tuple[str, str]]) -> str:
    """The session as an SVG, with the commands after a prompt."""
    with Path(os.devnull).open("w") as nowhere:
        console = Console(record=True, width=WIDTH, file=nowhere, force_terminal=True, color_system="standard")
        for command, output in session:
            console.print(Text(PROMPT + command, "bold green"))
            console.print(Text.from_ansi(output.rstrip("\n")))
        return _FONT_FACE.sub("", console.export_svg(title="modelarts", theme=MONOKAI, unique_id=f"terminal-{name}"))


if __name__ == "__main__":
    main()
