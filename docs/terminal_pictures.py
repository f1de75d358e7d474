"""Make the pictures of the terminal anew: `python docs/terminal_pictures.py` writes docs/pictures/*.svg.

Each picture is a real session: its commands run one after the other in a terminal of their own, with an emulator that
is started for them, in a copy of examples/digits.
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
}

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
        for name, commands in SESSIONS.items():
            place = Path(folder, name)
            shutil.copytree(EXAMPLE, place)
            (place / "job.yaml").write_text(JOB)
            (place / "code" / "broken.py").write_text(BROKEN)
            picture = draw(name, [(command, output_of(command, place, environment)) for command in commands])
            (PICTURES / f"{name}.svg").write_text(picture, "utf-8")
            print(f"{PICTURES / f'{name}.svg'}")


@contextmanager
def emulator(folder: Path) -> Iterator[dict[str, str]]:
    """An emulator for the sessions; yields the variables of a shell that uses it."""
    environment = {**os.environ, "XDG_DATA_HOME": str(folder / "data"), "VIRTUAL_ENV": sys.prefix}
    environment |= {"TERM": "xterm-256color", "COLUMNS": str(WIDTH), "PATH": f"{MODELARTS.parent}:{os.environ['PATH']}"}
    environment.pop("NO_COLOR", None)
    subprocess.run([MODELARTS, "emulator", "start", "--port", "0", "--obs-port", "0"], env=environment, check=True)
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
    return _PYTHON.sub("/opt/venv/bin/python", printed.decode().replace("\r\n", "\n"))


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
