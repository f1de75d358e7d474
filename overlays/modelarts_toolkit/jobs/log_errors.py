"""Find the error that ended a script at the end of its log; `log_forms.toml` has the forms of lines.

An error counts only if nothing ordinary follows it: after that, the script had handled it. Lines of several processes
are told apart by their prefixes, and the errors of launchers lead to the process that failed first.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import PurePosixPath
from typing import NamedTuple

LINES = 500  # at the end of a log, which are searched; version 1 gives no more in one response
LONGEST = 2000  # characters of a line that are read
CONTEXT = 12  # lines right before an error that can belong to it
SHORTEST_PART = 3  # characters of a line of a message, which its statement repeats


@dataclass(slots=True)
class LogError:
    """An error in a log: `lines` has its name with its message, `context` the lines right before it."""

    kind: str  # python, native, launcher, or line
    index: int  # of its first line in the log
    context: tuple[str, ...] = ()
    lines: list[str] = field(default_factory=list)
    frames: list[tuple[str, str]] = field(default_factory=list)  # files and lines, the innermost one last
    code: str = ""  # the statements in its traceback

    @property
    def place(self) -> str:
        """The innermost place in a file of the script itself, such as `train.py:17`; empty if there is none."""
        own = [frame for frame in self.frames if not _forms()["library"].search(frame[0])]
        return f"{PurePosixPath(own[-1][0]).name}:{own[-1][1]}" if own else ""


class LogEnd(NamedTuple):
    """The error that ended a script; the exit code of the process that a launcher saw fail first, 0 without one."""

    error: LogError | None
    exit_code: int


class _Stream:
    """The lines of one process, and the errors after which nothing ordinary came."""

    def __init__(self, is_fatal: bool) -> None:
        self.errors: list[LogError] = []
        self.launcher: LogError | None = None  # the error of a launcher after them
        self.is_fatal = is_fatal  # whether only errors that end the process have the prefix
        self._opened = LogError("", 0)  # whose lines are read
        self._in_frames = self._in_group = self._is_muted = False
        self._prefix: re.Pattern[str] | None = None  # of the lines of a traceback
        self._bar = ""
        self._recent: list[str] = []

    def add(self, index: int, line: str, *, is_error: bool) -> bool:
        """Read the next line; returns whether it is ordinary: no part of an error, and not what follows one."""
        forms = _forms()
        is_muted, self._is_muted = self._is_muted, False
        if self._in_group and (found := forms["gutter"].match(line)):
            line = line[found.end() :]
            if not self._in_frames:
                self._opened.lines.append(line)
                return False
        elif self._prefix and self._in_frames and (found := self._prefix.match(line)):
            line = line[found.end() :]
        elif found := forms["traceback"].search(line):
            if found.start():
                self._prefix = re.compile(re.sub(r"\d+", r"\\d+", re.escape(line[: found.start()])))
            return self._open("muted" if is_muted else "python", index, in_frames=True, in_group="Group" in found[0])
        elif not self._in_frames and forms["first_frame"].match(line):
            self._open("python", index, in_frames=True)
        if self._in_frames:
            return self._add_frame(self._opened, line)
        if not line.strip() or forms["tail"].search(line):
            return False
        if forms["muted"].match(line):
            self._is_muted = True
            return False
        if found := forms["bar"].search(line):
            self._bar, before = found["count"], self._bar
            return self._bar != before and self.handle()
        if self._opened.lines and self._belongs(self._opened, line):
            self._opened.lines.append(line)
            return False
        self._recent.append(line)
        kinds = {"native": "native", "exception": "python", "line": "line"}
        kind = next((kind for form, kind in kinds.items() if forms[form].match(line)), "line" if is_error else None)
        if kind is None:
            return self.handle()
        self._open(kind, index)
        return self._close(self._opened, line)

    def _open(self, kind: str, index: int, *, in_frames: bool = False, in_group: bool = False) -> bool:
        self._opened = LogError(kind, index, tuple(self._recent[-CONTEXT:]))
        self._in_frames, self._in_group = in_frames, in_group
        return False

    def _add_frame(self, error: LogError, line: str) -> bool:
        forms = _forms()
        if found := forms["frame"].match(line):
            error.frames.append((found["file"] or found["path"], found["line"] or found["number"]))
        elif forms["last"].match(line):
            self._in_frames = False
            return self._close(error, line)
        elif line[:1] in " \t>│╭╰" or error.frames:
            error.code += line
        return False

    def _close(self, error: LogError, line: str) -> bool:
        error.lines.append(line)
        if _forms()["launcher"].match(line):
            self.launcher = error
        elif error.kind != "muted":
            self.errors.append(error)
        return False

    def _belongs(self, error: LogError, line: str) -> bool:
        """Whether the line continues a message: it is indented, in a known form, or a part of the statement."""
        part = line.strip()
        is_part = len(part) >= SHORTEST_PART and part in error.code
        is_form = _forms()["native" if error.kind == "native" else "continued"].match(line) is not None
        return line[0] in " \t" or is_part or is_form

    def handle(self) -> bool:
        """Forget the errors, because the script went on; returns True."""
        self.errors, self.launcher = [], None
        self._opened, self._in_frames, self._in_group = LogError("", 0), False, False
        return True


def log_end(lines: Iterable[str], error_line: re.Pattern[str]) -> LogEnd:
    """Find the error that ended the script; it is None if nothing is certain.

    `error_line` finds lines that can be errors though they do not have the form of one.
    """
    streams: dict[str, _Stream] = {"": _Stream(is_fatal=False)}
    rank, exit_code = "", 0
    for index, (label, line, whole) in enumerate(_labelled(lines)):
        if found := _forms()["failed_process"].search(line):
            values = {name.rstrip("0123456789"): value for name, value in found.groupdict().items() if value}
            rank, exit_code = rank or values.get("rank", ""), exit_code or int(values.get("code", 0))
            continue
        stream = streams.setdefault(label, _Stream(is_fatal=_forms()["fatal_label"].match(label) is not None))
        is_error = _forms()["severe"].search(whole) is not None and error_line.search(line) is not None
        if stream.add(index, line, is_error=is_error):
            for other in (streams[""], *(each for each in streams.values() if not label and not each.is_fatal)):
                other.handle()
    main = streams.pop("")
    is_own = rank and any(_rank(label) == rank for label in streams)
    theirs = [
        each.errors[-1] for label, each in streams.items() if each.errors and (not is_own or _rank(label) == rank)
    ]
    found_errors = _causes(main.errors)[-1:] or ([main.launcher] if main.launcher and main.launcher.place else [])
    if theirs and not (found_errors and found_errors[0].index > max(error.index for error in theirs)):
        found_errors = _causes(theirs)
        if len({re.sub(r"\d+", "", error.lines[0]) for error in found_errors}) > 1:  # which of them came first?
            found_errors = []
    return LogEnd(min(found_errors, key=lambda error: error.index, default=None), exit_code)


def _rank(label: str) -> str:
    return next(iter(re.findall(r"\d+", label)[-1:]), "")


def _causes(errors: list[LogError]) -> list[LogError]:
    """Leave out the errors that only tell of the loss of another process, if there are others."""
    return [error for error in errors if not any(map(_forms()["lost_peer"].search, error.lines))] or errors


def _labelled(lines: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    """Yield the newest lines without colours, times, levels and names, each with the prefix of its process."""
    forms = _forms()
    whole = [part for line in lines for part in line.strip("\r\n").split("\r") if part.strip() or not line.strip()]
    for each in whole[-LINES:]:
        line = text = forms["colour"].sub("", each[:LONGEST])
        label, before = "", ""
        while text != before:
            before = text
            if found := forms["label"].match(text):
                label, text = found[0].strip(), text[found.end() :]
            text = forms["prefix"].sub("", text, count=1)
        yield label, text, line


@cache
def _forms() -> dict[str, re.Pattern[str]]:
    """Return the forms of lines: each is one pattern of several that the file lists."""
    import tomllib

    document = tomllib.loads(files(__package__).joinpath("log_forms.toml").read_text("utf-8"))
    return {name: re.compile("|".join(f"(?:{pattern})" for pattern in patterns)) for name, patterns in document.items()}
