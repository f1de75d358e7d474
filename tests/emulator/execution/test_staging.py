"""The words that start a task."""

from __future__ import annotations

import subprocess

from hypothesis import example, given
from hypothesis import strategies as st

from modelarts_emulator.execution.staging import with_arguments

BEFORE = ["", "cd / && ", "cd /; ", "X='a;b' ", "echo 'it is # no comment' && ", "true || false; ", "echo a | cat; "]
SCRIPTS = ["s", "s --x 'a  b'", 's "a # b"', "s a#b", "s $(echo 1)", 's "$(echo "a; b")"', "s a\\ b", "s 2>&1", "s >&2"]
AFTER = ["", " ", "\n", ";", " ;", " ; ", " &", "& ", " # comment", " ;# it's a comment", " # a; b\n", "; # 'x"]
TEXTS = st.text(st.characters(exclude_characters="\0", codec="utf-8"), max_size=8)


def printed(command: str) -> str:
    """What the arguments of `s` are when the shell runs the command, as the service runs it."""
    define = "s() { for each; do printf '<%s>' \"$each\" >&3; done; }; exec 3>&1 >/dev/null 2>&1; "
    done = subprocess.run(["/bin/sh", "-c", f"{define}{command}\nwait"], capture_output=True, check=False)
    return done.stdout.decode()


@given(
    st.sampled_from(BEFORE), st.sampled_from(SCRIPTS), st.sampled_from(AFTER), st.lists(TEXTS, min_size=1, max_size=3)
)
@example("cd / && ", "s", " # it's", ["it's $HOME; rm #", "\n"])
def test_the_last_command_of_the_line_gets_the_arguments(
    before: str, script: str, after: str, values: list[str]
) -> None:
    """Whatever stands before and after it, behind its own, and each as one word; without any, the line is as it was."""
    arguments = [f"--name={value}" for value in values]
    own = printed(before + script)

    assert with_arguments(before + script + after, []) == before + script + after
    assert printed(with_arguments(before + script + after, arguments)) == own + "".join(f"<{x}>" for x in arguments)


def test_a_command_that_no_shell_can_read_stays_one() -> None:
    """The shell says what is wrong with it."""
    assert with_arguments("python 'train.py", ["--a=1"]) == "python 'train.py --a=1"
