"""What a terminal shows, and a file does not get."""

import os
import pty
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.overlays.cli.conftest import MODELARTS

from modelarts_toolkit.cli.job_logs import show_lines
from modelarts_toolkit.cli.terminal import LiveLine

Shown = Callable[[Callable[[], None]], str]
BAR = """
import os, time
print("begun")
for percent in (0, 50):
    print(f"\\r{percent}%|\\x1b[32m#\\x1b[0m", end="", flush=True)
while not os.path.exists(os.environ["GATE"]):
    time.sleep(0.02)
print("\\r100%|#\\rdone\\r\\nend", flush=True)
"""


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> Iterator[Shown]:
    """What a function prints on a terminal of 20 columns."""
    reader, writer = pty.openpty()
    monkeypatch.setenv("COLUMNS", "20")
    monkeypatch.setenv("TERM", "xterm")

    def printed(print_it: Callable[[], None]) -> str:
        with os.fdopen(os.dup(writer), "w") as stream, monkeypatch.context() as patch:
            patch.setattr(sys, "stdout", stream)
            print_it()
            stream.write("$")
        printed = ""
        while not printed.endswith("$"):
            printed += os.read(reader, 10_000).decode()
        return printed[:-1]

    yield printed
    os.close(writer)
    os.close(reader)


@pytest.mark.parametrize(
    ("line", "last"),
    [("1%\r2%", "2%"), ("\r1%\r", "1%"), ("1%\r\r2%\r\r", "2%"), ("[worker-1] 1%\r2%", "[worker-1] 2%"), ("", "")],
)
def test_of_a_line_that_rewrites_itself_a_terminal_shows_the_last_text(shown: Shown, line: str, last: str) -> None:
    assert shown(lambda: show_lines([line, "next"], to_stderr=False)) == f"{last}\r\nnext\r\n"


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("50%|#", "50%|#"),
        ("x" * 40, "x" * 19),
        ("进" * 40, "进" * 9),
        ("e\u0301" * 40, "e\u0301" * 19),
        ("\x1b[32m#\x1b[0m", "#"),
        ("a\tb\x1b]0;title\x07", r"a\tb\x1b]0;title\x07"[:19]),
    ],
)
def test_an_unfinished_line_is_one_line_of_text_until_something_else_is_shown(
    shown: Shown, text: str, cut: str
) -> None:
    live = LiveLine()

    def print_it() -> None:
        live.show(text, to_stderr=False)
        live.clear()
        live.show("", to_stderr=False)
        live.clear()

    assert shown(print_it) == f"{cut}\r\x1b[K"


def test_run_shows_a_progress_bar_while_it_grows(tmp_path: Path) -> None:
    """It is removed before the next line; a line that has rewritten itself is shown as it ended."""
    (tmp_path / "train.py").write_text(BAR)
    gate, (reader, writer) = tmp_path / "gate", pty.openpty()
    environment = {**os.environ, "GATE": str(gate), "TERM": "xterm", "COLUMNS": "80", "TMPDIR": str(tmp_path)}
    command = [MODELARTS, "run", "train.py", "--env", f"GATE={gate}"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=writer, stderr=subprocess.PIPE, env=environment) as process:
        os.close(writer)
        seen = b""
        while b"50%|#" not in seen and (part := os.read(reader, 1000)):
            seen += part
        gate.touch()
        while not seen.endswith(b"end\r\n") and (part := os.read(reader, 1000)):
            seen += part
        process.communicate(timeout=300)
    os.close(reader)

    assert seen.decode().endswith("50%|#\r\x1b[Kdone\r\nend\r\n")
    # a line whose end comes later is shown at once, and drawn again
    assert seen.removeprefix(b"begun\r\x1b[K").startswith(b"begun\r\n")
    assert process.returncode == 0
