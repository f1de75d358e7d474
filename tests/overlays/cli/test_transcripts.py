"""Commands print what the transcripts in `tests/data/cli` say, to the letter.

A line that begins with `$ ` is a command: of `modelarts`, which runs in this process, with an answer to its question
after `<<<`; else of the shell. What it writes to standard error stands behind `2> `, and `<time>` for what changes from
run to run; `<uuid>` in a command is the last one that was printed.
`TRANSCRIPTS=write pytest tests/overlays/cli/test_transcripts.py` writes the files anew: read what changed.
"""

import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest
from tests.overlays.cli.conftest import FLAVOR, JOB, Run

from modelarts_emulator.server import Emulator

V1_FILE = f"""\
job_name: sum
config:
  worker_server_num: 1
  app_url: /work/code/
  boot_file_url: /work/code/train.py
  engine_id: 4
  flavor: {{code: {FLAVOR}}}
  data_url: /work/code/
  train_url: /work/out/
  parameter: [{{label: lr, value: 0.10}}]
"""
TRANSCRIPTS = Path(__file__).parents[2] / "data" / "cli"
COMMAND = re.compile(r"^\$ (.*)\n", re.MULTILINE)
UUID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")
VARIABLE = (
    (UUID, "<uuid>"),
    (re.compile(r"\b(?=[0-9a-f]*\d)[0-9a-f]{8}(?:[0-9a-f]{4}|-[0-9a-f-]*)?\b"), "<id>"),
    (re.compile(r"(<id>|ID(?= +PHASE))  +"), r"\1  "),  # how long short ids are differs
    (re.compile(r"(\d{4}[-/]\d\d[-/]\d\d[ T])?\d\d:\d\d:\d\d([,.]\d+)?(\+00:00)?"), "<time>"),
    (re.compile(r"\b([0-9a-f]{16}){1,2}\b"), "<hex>"),
    (re.compile(r"\b\d{10}(\d{3})?\b"), "<moment>"),
    (re.compile(r"\b\d+/\d+\b"), "<id>/<id>"),
    (re.compile(r"^(V\d{4} +)\d+", re.MULTILINE), r"\1<id>"),
    (re.compile(r"http://127\.0\.0\.1:\d+"), "<endpoint>"),
    (re.compile(r"\b(process |id=)\d+"), r"\1<id>"),
    (re.compile(r" +$", re.MULTILINE), ""),
)


@pytest.fixture
def stage(service: Emulator, project: Path) -> Emulator:
    """The current folder has `job.yaml` with local folders, and `obs.yaml` and `v1.yaml` whose code is not local."""
    text = JOB.partition("inputs:")[0].replace("code: code", "code: obs://work/code/")
    (project / "obs.yaml").write_text(text)
    (project / "v1.yaml").write_text(V1_FILE)
    return service


@pytest.mark.parametrize("name", sorted(each.stem for each in TRANSCRIPTS.glob("*.txt")))
def test_commands_print_what_their_transcript_says(name: str, run: Run, stage: Emulator) -> None:
    file = TRANSCRIPTS / f"{name}.txt"
    printed = ""
    for command in COMMAND.findall(text := file.read_text("utf-8")):
        printed += f"$ {command}\n"
        if command.startswith("modelarts "):
            command = command.replace("<uuid>", (UUID.findall(printed) or [""])[-1])
            words, _, answer = command.partition(" <<< ")
            options = ["--data-dir", stage.data_dir] if words.startswith("modelarts emulator ") else []
            done = run(*shlex.split(words)[1:], *options, stdin=f"{answer}\n" if answer else None)
            printed += done.stdout + "".join(f"2> {line}\n" for line in done.stderr.splitlines())
            printed += f"[exit status {done.exit_code}]\n" if done.exit_code else ""
        else:
            printed += subprocess.run(command, shell=True, capture_output=True, text=True, check=True).stdout
    printed = printed.replace(str(stage.data_dir), "<data>").replace(str(Path.cwd()), "<folder>")
    for pattern, word in VARIABLE:
        printed = pattern.sub(word, printed)
    if os.environ.get("TRANSCRIPTS") == "write":
        file.write_text(printed, "utf-8")

    assert printed == text
