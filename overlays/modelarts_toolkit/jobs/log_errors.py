"""Find the error that ended a script at the end of its log; `log_forms.toml` has the forms of lines.

An error counts only if nothing ordinary follows it: after that, the script had handled it. Lines of several processes
are told apart by their prefixes, and the errors of launchers lead to the process that failed first.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import PurePosixPath

from modelarts_toolkit.own_files import own_table

LINES = 500  # at the end of a log, which are searched; version 1 gives no more in one response
LONGEST = 1000  # characters of a line that are read
CONTEXT = 12  # lines right before an error that can belong to it
NATIVE, PYTHON, LAUNCHER, LINE, MUTED = "native", "python", "launcher", "line", "muted"  # kinds of errors


@dataclass(slots=True)
class LogError:
    """An error in a log: `lines` has its name with its message, `context` the lines right before it."""

    kind: str = ""
    index: int = 0  # of its first line in the log
    context: tuple[str, ...] = ()
    lines: list[str] = field(default_factory=list)
    frames: list[tuple[str, str]] = field(default_factory=list)  # files and lines, the innermost one last
    code: list[str] = field(default_factory=list)  # the lines of its traceback

    @property
    def place(self) -> str:
        """The innermost place in a file of the script itself, such as `train.py:17`; empty if there is none."""
        own = [frame for frame in self.frames if not _forms()["library"].search(frame[0])]
        return f"{PurePosixPath(own[-1][0]).name}:{own[-1][1]}" if own else ""


class _Stream:
    """The lines of one process, and the errors after which nothing ordinary came."""

    def __init__(self, label: str) -> None:
        self.errors: list[LogError] = []
        self.launcher: LogError | None = None  # the error of a launcher after them
        self.is_fatal = _forms()["fatal_label"].match(label) is not None  # only errors that end a process have it
        self._last = LogError()  # the error that can continue
        self._in_frames = self._in_group = self._is_muted = False
        self._prefix: re.Pattern[str] | None = None  # of the lines of a traceback
        self._bar = ""
        self._recent: list[str] = []

    def add(self, index: int, line: str, *, is_error: bool) -> bool:
        """Read the next line; returns whether it is ordinary: no part of an error, and not what follows one."""
        forms = _forms()
        is_muted, self._is_muted, counted = self._is_muted, False, self._bar
        if bar := forms["bar"].search(line):
            self._bar = bar["count"]
        if self._in_group and (found := forms["gutter"].match(line)):
            line = line[found.end() :]
            if not self._in_frames:
                self._last.lines.append(line)
                return False
        elif self._prefix and self._in_frames and (found := self._prefix.match(line)):
            line = line[found.end() :]
        elif found := forms["traceback"].search(line):
            if found.start():
                before = line[: found.start()].removesuffix("traceback : ")  # of torchrun, where a script has @record
                prefix = re.sub(r"\\-|:", "[-:]", re.escape(before))
                self._prefix = re.compile(re.sub(r"\d+", r"\\d+", prefix))
            self._open(MUTED if is_muted else PYTHON, index)
            self._in_frames, self._in_group = True, "Group" in found[0]
            return False
        elif not self._in_frames and forms["first_frame"].match(line):
            self._open(PYTHON, index)
            self._in_frames = True
        if self._in_frames:
            return self._add_frame(self._last, line)
        is_chained = forms["chained"].match(line) is not None
        if forms["muted"].match(line) or (is_chained and self._last.kind == MUTED):
            self._is_muted = True
            return False
        if not line.strip() or is_chained or forms["tail"].search(line):
            self._is_muted = is_muted and not line.strip()
            return False
        if bar:
            return self._bar != counted and self.handle()
        self._recent.append(line)
        if self._last.lines and self._continues(self._last, line):
            self._last.lines.append(line)
        elif not self.errors or line != self.errors[-1].lines[0]:  # which another process can have, too
            kinds = (kind for kind in (NATIVE, PYTHON, LINE) if forms[kind].match(line))
            kind = next(kinds, LINE if is_error else "")
            if not kind:
                return self.handle()
            self._open(kind, index)
            self._close(self._last, line)
        return False

    def _open(self, kind: str, index: int) -> None:
        self._last = LogError(kind, index, tuple(self._recent[-CONTEXT:]))

    def _close(self, error: LogError, line: str) -> None:
        error.lines.append(line)
        if _forms()["launcher"].match(line):
            error.kind, self.launcher = LAUNCHER, error
        elif error.kind != MUTED:
            self.errors.append(error)

    def _add_frame(self, error: LogError, line: str) -> bool:
        forms = _forms()
        is_statement = bool(error.code) and forms["frame"].match(error.code[-1]) is not None
        if found := forms["frame"].match(line):
            error.frames.append((found["file"] or found["path"], found["line"] or found["number"]))
        elif forms["last"].match(line):
            self._in_frames = False
            self._close(error, line)
            return False
        elif line[:1] not in " \t>│╭╰" and not is_statement:
            return self.handle()
        error.code.append(line)
        return False

    def _continues(self, error: LogError, line: str) -> bool:
        """Whether the line continues a message: in a known form, indented below a colon, or a part of the statement."""
        forms, part = _forms(), f"\\n{line.strip()}"
        if forms["progress"].search(line):
            return False
        is_list = error.lines[0].endswith(":") and all(each[:1] == " " for each in error.lines[1:])
        is_list = is_list or any(map(forms["listed"].match, error.lines))
        is_indented = line[0] == "\t" or (line[0] == " " and (is_list or error.kind == LAUNCHER))
        is_form = any(forms[form].match(line) for form in ("continued", "listed", *[NATIVE] * (error.kind == NATIVE)))
        return is_form or is_indented or any(part in code for code in error.code)

    def handle(self) -> bool:
        """Forget the errors, because the script went on; returns True."""
        self.errors, self.launcher, self._last = [], None, LogError()
        self._in_frames = self._in_group = False
        return True


def log_end(lines: Iterable[str], error_line: re.Pattern[str]) -> tuple[LogError | None, int]:
    """Find the error that ended the script, and the exit code of the process that a launcher saw fail first.

    They are None and 0 if nothing is certain. `error_line` finds lines that can be errors without the form of one.
    """
    forms, streams = _forms(), {"": _Stream("")}
    rank, exit_code = "", 0
    for index, (label, line, whole) in enumerate(_labelled(lines)):
        if found := forms["failed_process"].search(line):
            values = {name.rstrip("0123456789"): value for name, value in found.groupdict().items() if value}
            exit_code = exit_code or int(values.get("code", 0)) or -int(values.get("signal", 0))
            rank = rank or values.get("rank", "")
            continue
        stream = streams[label] if label in streams else streams.setdefault(label, _Stream(label))
        is_error = bool(forms["severe"].search(whole) and error_line.search(line))
        if stream.add(index, line, is_error=is_error):
            for other in (streams[""], *(each for each in streams.values() if not label and not each.is_fatal)):
                other.handle()
    main = streams.pop("")
    ranks = {label: next(iter(re.findall(r"\d+", label)[-1:]), "") for label in streams}
    theirs = [each.errors[-1] for label, each in streams.items() if each.errors and ranks[label] == rank] or [
        each.errors[-1] for each in streams.values() if each.errors and rank not in ranks.values()
    ]
    error = next(reversed(_causes(main.errors)), main.launcher if main.launcher and main.launcher.place else None)
    if theirs and (error is None or error.index < max(each.index for each in theirs)):
        causes = _causes(theirs)
        is_one = len({re.sub(r"\d+", "", each.lines[0]) for each in causes}) == 1  # else: which of them came first?
        error = min(causes, key=lambda each: each.index) if is_one else None
    return error, exit_code


def _causes(errors: list[LogError]) -> list[LogError]:
    """Leave out the errors that only tell of the loss of another process, if there are others."""
    return [error for error in errors if not any(map(_forms()["lost_peer"].search, error.lines))] or errors


def _labelled(lines: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    """Yield the prefix of its process, the text without times, levels and names, and the whole of the newest lines."""
    forms = _forms()
    parts = [part for line in lines for part in line.strip("\r\n").split("\r") if part.strip() or not line.strip()]
    for part in parts[-LINES:]:
        line = text = forms["colour"].sub("", part[:LONGEST])
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
    table: dict[str, list[str]] = own_table(__package__, "log_forms.toml")
    return {name: re.compile("|".join(f"(?:{pattern})" for pattern in patterns)) for name, patterns in table.items()}
