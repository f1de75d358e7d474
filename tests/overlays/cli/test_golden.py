"""What commands print, as transcripts in `tests/data/cli`: a line `$ modelarts …`, what it prints, and its status.

Ids and times are replaced. A changed output is looked at, and then written into the transcript by hand.
"""

import re
import shlex
from pathlib import Path

import pytest
from tests.overlays.cli.conftest import ENGINE, JOB, Run, Submit

from modelarts_emulator.server import Emulator

TRANSCRIPTS = Path(__file__).parents[2] / "data" / "cli"
COMMAND = re.compile(r"^\$ modelarts (.*)\n", re.MULTILINE)
VARIABLE = (
    (re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"), "<uuid>"),
    (re.compile(r"\b(?=[0-9a-f]*\d)[0-9a-f]{8}\b"), "<id>"),
    (re.compile(r"(\d{4}[-/]\d\d[-/]\d\d )?\d\d:\d\d:\d\d(,\d{3})?"), "<time>"),
    (re.compile(r" +$", re.MULTILINE), ""),
)


@pytest.mark.parametrize("name", sorted(each.stem for each in TRANSCRIPTS.glob("*.txt")))
def test_commands_print_what_their_transcript_says(
    name: str, run: Run, submit: Submit, service: Emulator, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Two jobs have ended, one of them badly, and a third one runs."""
    monkeypatch.chdir(tmp_path)
    Path("train.py").touch()
    Path("data").mkdir()
    Path("job.yaml").write_text(JOB.replace("flavor:", "flavour:").replace(ENGINE, "pytroch"))
    service.plans.add(job="digits", duration=10, log=["epoch 1 loss 0.9", "epoch 2 loss 0.3"])
    service.plans.add(job="broken", duration=10, exit_code=1, log=["ModuleNotFoundError: No module named 'torch'"])
    service.plans.add(job="endless", duration=86_400)
    for job in ("digits", "broken"):
        submit(job)
    service.clock.advance(60)
    submit("endless")
    service.clock.advance(1)
    text = (TRANSCRIPTS / f"{name}.txt").read_text("utf-8")

    printed = ""
    for command in COMMAND.findall(text):
        done = run(*shlex.split(command))
        printed += f"$ modelarts {command}\n{done.output}" + (
            f"[exit status {done.exit_code}]\n" * bool(done.exit_code)
        )
    for pattern, word in VARIABLE:
        printed = pattern.sub(word, printed)

    assert printed == text
