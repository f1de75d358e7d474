"""A task's log file."""

import re
from pathlib import Path

from modelarts_emulator.execution.local.task_process import TaskLog


def test_a_service_line_has_the_documented_form_and_a_line_of_its_own(tmp_path: Path) -> None:
    log = TaskLog(tmp_path / "deep" / "log")
    log.output(b"epoch 1")
    log.service("exit with 0")
    log.output(b"")
    log.service("odd \udcff name", "ERROR")
    log.close()
    lines = (tmp_path / "deep" / "log").read_text().splitlines()

    assert lines[0] == "epoch 1"
    assert re.fullmatch(
        r"\[ModelArts Service Log\]\[INFO\]\[\d{4}/\d\d/\d\d \d\d:\d\d:\d\d,\d{3}\]: exit with 0", lines[1]
    )
    assert lines[2].endswith(r"odd \udcff name")
    assert len(lines) == 3


def test_output_beyond_the_limit_is_dropped_and_said_once(tmp_path: Path) -> None:
    log = TaskLog(tmp_path / "log", limit=10)
    for _ in range(5):
        log.output(b"1234")
    log.service("the end")
    log.close()
    content = (tmp_path / "log").read_text()

    assert content.startswith("1234123412\n[ModelArts Service Log][WARNING]")
    assert content.count("running silently") == 1
    assert content.endswith("the end\n")
