"""Print the numbers of gates that are not those of another revision: `python scripts/gates.py`.

Whoever changes a gate can let it pass more. No gate finds that; a person who reads both numbers does.
"""

import os
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FILES = ("benchmarks", "scripts/ci.*", "tests/mutation.toml", "tests/repository", "tests/stories/test_documentation.py")
FILE = re.compile(r"^diff --git a/.* b/(.*)$")
CHANGE = re.compile(r"^([-+])(?!--|\+\+)\s*([^#\d]*\d[^#]*)")  # of a line with a number, without its comment
NUMBER = re.compile(r"\b\d[\d_.]*")
CONSTANT = re.compile(r"[A-Z_]+\b[^=]* = [({\d.-]")


def main() -> None:
    revision = base()
    if lines := list(changed(revision)):
        print(f"\nNumbers of gates, at {revision} -> now:", *lines, sep="\n  ", flush=True)


def base() -> str:
    """Return BASE, else where this branch leaves origin/main, else the last release; nothing outside git."""
    fork = output("git", "merge-base", "HEAD", "origin/main")
    is_branch = fork not in ("", output("git", "rev-parse", "HEAD"))
    return os.environ.get("BASE") or (fork if is_branch else output("scripts/api_base.sh"))


def output(*command: str) -> str:
    """Return what a command prints; nothing if it fails."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return "" if done.returncode else done.stdout.strip()


def changed(revision: str) -> Iterator[str]:
    """Yield the lines whose numbers are others than at the revision, and constants that are gone."""
    file, removed = "", defaultdict[tuple[str, str], list[str]](list)
    for line in output("git", "diff", "--unified=0", "--no-color", revision, "--", *FILES).splitlines():
        file = found[1] if (found := FILE.match(line)) else file
        if change := CHANGE.match(line):
            text = change[2].rstrip()
            earlier = removed[file, NUMBER.split(text)[0]]
            if change[1] == "-":
                earlier.append(text)
            elif earlier and NUMBER.findall(before := earlier.pop(0)) != NUMBER.findall(text):
                yield f"{file}: {before} -> {text}"
    yield from (
        f"{file}: {text} -> gone" for (file, _), texts in removed.items() for text in texts if CONSTANT.match(text)
    )


if __name__ == "__main__":
    main()
