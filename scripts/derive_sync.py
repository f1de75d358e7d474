"""The synchronous twins of the workflows: every folder `_async` in `overlays/` becomes a folder `_sync` beside it.

A workflow is written once, as ordinary `async def`. Its twin is the same text without `async` and `await`, and with
the names that `name_of` gives: `AsyncJob` becomes `Job`, `call_within_async` becomes `call_within`.
"""

from __future__ import annotations

import argparse
import io
import re
import subprocess
import sys
import tempfile
import tokenize
from pathlib import Path

SOURCES = Path(__file__).resolve().parent.parent / "overlays"
SETTINGS = SOURCES.parent / "pyproject.toml"
NAMES = {
    "_async": "_sync",
    "ASYNCIO": "BLOCKING",
    "StopAsyncIteration": "StopIteration",
    "__aenter__": "__enter__",
    "__aexit__": "__exit__",
    "aclose": "close",
    "aclosing": "closing",
    "anext": "next",
    "aread": "read",
}
WORD = re.compile(r"\b_?[A-Za-z_]\w*\b")
NOQA = re.compile(r"  # noqa: ASYNC\d+[^\n]*")


def name_of(name: str) -> str:
    """The name that takes the place of one in asynchronous code."""
    if name in NAMES:
        return NAMES[name]
    return re.sub(r"^(_?)Async(?=[A-Z])|_async(?=_|$)", r"\1", name)


def derived(text: str) -> str:
    """The synchronous twin of a module; the formatter has to see it afterwards."""
    lines = text.splitlines(keepends=True)
    changes: list[tuple[int, int, int, str]] = []  # line, first and last column, and what stands there instead
    tokens = [*tokenize.generate_tokens(io.StringIO(text).readline)]
    for token, following in zip(tokens, [*tokens[1:], tokens[-1]], strict=True):
        (row, column), (end_row, end_column) = token.start, token.end
        if token.type == tokenize.NAME and token.string in ("async", "await"):
            changes.append((row, column, following.start[1], ""))
        elif token.type == tokenize.NAME and (name := name_of(token.string)) != token.string:
            changes.append((row, column, end_column, name))
        elif token.type in (tokenize.STRING, tokenize.COMMENT):
            for number in range(row, end_row + 1):
                start, end = column if number == row else 0, end_column if number == end_row else None
                line = lines[number - 1][start:end]
                changes.append((number, start, start + len(line), WORD.sub(lambda word: name_of(word[0]), line)))
    for row, start, end, new in reversed(changes):
        line = lines[row - 1]
        lines[row - 1] = line[:start] + new + line[end:]
    return NOQA.sub("", "".join(lines))


def derive(sources: Path = SOURCES) -> dict[Path, bytes]:
    """Every derived module and what it has to hold; raises RuntimeError if the formatter rejects one."""
    with tempfile.TemporaryDirectory(prefix="modelarts-derive-") as scratch:
        made = Path(scratch)
        for module in sorted(sources.glob("**/_async/*.py")):
            target = made / module.relative_to(sources).parent.with_name("_sync") / module.name
            target.parent.mkdir(parents=True, exist_ok=True)
            notice = f"# Derived from _async/{module.name} by scripts/derive_sync.py; do not edit.\n"
            target.write_text(notice + derived(module.read_text("utf-8")), "utf-8")
        for verb in (["check", "--select", "I", "--fix-only"], ["format"]):
            command = [sys.executable, "-m", "ruff", *verb, "--quiet", "--config", str(SETTINGS), "--no-cache", scratch]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                raise RuntimeError(f"ruff {verb[0]} rejects derived code: {done.stderr or done.stdout}")
        return {sources / file.relative_to(made): file.read_bytes() for file in sorted(made.rglob("*.py"))}


def main() -> int:
    parser = argparse.ArgumentParser(description="Make each folder _sync of the one _async beside it.")
    parser.add_argument("--check", action="store_true", help="write nothing; name what differs and exit 1")
    parser.add_argument("--sources", type=Path, default=SOURCES, help="the folder with the modules")
    options = parser.parse_args()
    made = derive(options.sources)
    present = {file: file.read_bytes() for file in options.sources.glob("**/_sync/*.py")}
    differing = sorted(file for file in made.keys() | present.keys() if made.get(file) != present.get(file))
    if options.check:
        for file in differing:
            print(f"{file} is not what _async makes; run `make generate`", file=sys.stderr)
        return 1 if differing else 0
    for file in differing:
        if file in made:
            file.parent.mkdir(exist_ok=True)
            file.write_bytes(made[file])
        else:
            file.unlink()
    print(f"_sync: {len(made)} files, {len(differing)} changed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
