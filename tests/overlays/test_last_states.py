"""What is shown of a line that a program rewrites."""

import re

from hypothesis import example, given
from hypothesis import strategies as st

from modelarts_toolkit.texts import colours_of, last_state
from modelarts_toolkit.ui.site import plain

STATES = st.lists(st.text("ab1|█ ", min_size=1, max_size=12).filter(str.strip), min_size=1, max_size=5)
COLOURS = st.sampled_from(["", "\x1b[31m", "\x1b[1;32m", "\x1b[0m", "\x1b[m", "\x1b[38:5:1m"])


def rewritten(states: list[str], way: str) -> str:
    """What a program writes that shows one state after the other in a row; each replaces the one before."""
    width, line = max(map(len, states)), ""
    for state in states:
        full, before = state.ljust(width), width if line else 0
        line += {
            "tqdm": f"\r{full}",
            "rich": f"\r\x1b[2K{state}",
            "wget": f"\x1b[1G\x1b[K{state}",
            "keras": "\b" * before + full,
            "ninja": f"\r{state}\x1b[K",
            "pip": f"\x1b[{before}D{full}" if before else full,
        }[way]
    return line


def terminal(line: str) -> str:
    """One row of a terminal."""
    row: list[str] = []
    column = 0
    for code, number, letter in re.findall(r"(?s)(\x1b\[([\d;:]*)([A-Za-z])|.)", line):
        if letter == "K":
            row[column if number != "2" else 0 :] = []
            row += [" "] * (column - len(row))
        elif letter == "G" or code == "\r":
            column = 0
        elif letter == "D" or code == "\b":
            column = max(0, column - int(number or 1))
        elif not letter:
            row[column : column + 1] = [code]
            column += 1
    return "".join(row).rstrip()


@given(
    STATES, st.sampled_from(["tqdm", "rich", "wget", "keras", "ninja", "pip"]), st.sampled_from(["", "\r", "\x1b[0m\r"])
)
@example(["100%|##", "a"], "ninja", "\r")
def test_the_last_state_is_what_a_terminal_shows(states: list[str], way: str, end: str) -> None:
    """Whichever way a program replaces a state by the next one; the name of a task stays."""
    line = rewritten(states, way) + end

    assert plain(last_state(line)).rstrip() == terminal(line) == states[-1].rstrip()
    assert last_state(f"[worker-1] {line}") == f"[worker-1] {last_state(line)}"


@given(st.lists(st.tuples(COLOURS, st.text("ab1| ", max_size=6), COLOURS), min_size=1, max_size=5))
@example([("\x1b[31m", "failed", ""), ("", "ok", "\x1b[0m")])
def test_a_short_state_is_not_mixed_with_an_older_one(parts: list[tuple[str, str, str]]) -> None:
    """And its line leaves the colours for the next line as the whole one does."""
    line = "\r".join("".join(part) for part in parts)
    texts = [text for _, text, _ in parts if text]

    assert plain(last_state(line)) == (texts[-1] if texts else "")
    assert colours_of(last_state(line)) == colours_of(line)
    assert last_state(last_state(line)) == last_state(line)


def test_bars_in_several_rows_are_not_mixed() -> None:
    """tqdm moves the cursor up to another bar; what it wrote last is shown."""
    assert plain(last_state("\rinner: 10%|#\x1b[A\router: 5%|")) == "outer: 5%|"
    assert plain(last_state("\rinner: 100%|##\x1b[A")) == "inner: 100%|##"
    assert plain(last_state("50%\b\b\b")) == "50%"
    assert plain(last_state("50%\b\b\b\x1b[K")) == ""
    assert plain(last_state("50%\x1b[1000D60%")) == "60%"
    assert plain(last_state("a" * 20_000 + "\b" * 20_000 + "x")) == "x"
    assert plain(last_state("gone\r\x1b[2K")) == ""
    assert plain("\x1b[?25l\x1b]8;;file:x\x1b\\link\x1b]8;;\x1b\\ \x1b(B\x1b[mend") == "link end"
