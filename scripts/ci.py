"""Run what CI runs, on a fresh clone, and print one table at the end: `python3 scripts/ci.py`.

What the tests need of this machine has to be there, so that no test is skipped without it: what is missing is
installed where this is possible (root, apt-get), else the run fails, after all other steps. Every step is run, whatever
became of those before it, unless the environment for it is missing. `scripts/ci.toml` says what the steps are, how many
tests of each pass, and which are skipped; a step fails if it is not exactly so, or if a test is expected to fail.

A test that fails runs once more, alone. If it passes then, the table calls it FLAKY; the run fails if there are many.
"""

import glob
import json
import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import gates

ROOT = Path(__file__).resolve().parents[1]
SETTINGS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
PROGRAMS, STEPS, PASSED, SKIPPED = (SETTINGS[table] for table in ("programs", "steps", "passed", "skipped"))
# The step for the documents is left out if none of these has changed since the last release.
OF_THE_DOCUMENTS = 'git diff --quiet "$(scripts/api_base.sh)" -- openapi generated scripts requirements/stock-tools'
COUNTS = re.compile(r"(?<!\S)(\d+) (passed|failed|skipped|xfailed|xpassed|error)s?\b")
CLOSING = re.compile(r"^=* ?(\d+ [a-z]+,? ?.*) in [\d.]+s.*$", re.MULTILINE)
SKIP = re.compile(r"^SKIPPED \[(\d+)\] ([^ ]+?)(?::\d+)?: (.*)$", re.MULTILINE)
TEARDOWN = re.compile(r"^_+ ERROR at teardown of ", re.MULTILINE)
TRACEBACKS = re.compile(r"^=+ (?:ERRORS|FAILURES) =+$.*?(?=^=+ short test summary)", re.MULTILINE | re.DOTALL)
# More fell than single tests: to run these again would say nothing.
BROKEN = re.compile(r"crashed while running|^INTERNALERROR>|Interrupted: |^=+ ERROR collecting", re.MULTILINE)
MOST_REPEATED = 10  # tests of a step
MOST_FLAKY = 2  # tests of a run


@dataclass
class Row:
    """What became of a step; `flaky` are the tests that passed when they ran again, `outputs` is what was printed."""

    name: str
    problem: str = ""
    counts: dict[str, int] = field(default_factory=dict)
    reasons: Mapping[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    flaky: list[str] = field(default_factory=list)
    outputs: str = ""

    def __str__(self) -> str:
        passed, skipped = (self.counts.get(kind, "") for kind in ("passed", "skipped"))
        verdict = f"FAILED: {self.problem}" if self.problem else "ok"
        lines = [f"{self.name:<16} {passed:>7} {skipped:>8} {self.seconds:>8.0f}  {verdict}"]
        lines += [f"{'':<16} {'':>7} {count:>8} {'':>8}  {reason}" for reason, count in sorted(self.reasons.items())]
        lines += [f"{'':<16} {'':>7} {'':>8} {'':>8}  FLAKY {test}" for test in self.flaky]
        return "\n".join(lines)


def main() -> int:
    os.chdir(ROOT)
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # the Makefile says why
    os.environ["CI"] = "true"  # pytest and others say more if it is set, here as there
    rows = [provide(), step("environments", STEPS.pop("environments"))]
    if not rows[-1].problem:
        os.sync()  # the tests flush what they write, and would wait for what was installed
        left_out = {"stock-tools"} if subprocess.call(OF_THE_DOCUMENTS, shell=True) == 0 else set()  # noqa: S602 - ours
        rows += [step(name, command) for name, command in STEPS.items() if name not in left_out]
    return close(rows)


def close(rows: list[Row]) -> int:
    """Print the table and what belongs to it; return the exit status of the run."""
    flaky = sum(len(row.flaky) for row in rows)
    problem = f"{flaky} tests are FLAKY, {MOST_FLAKY} may be: repair them" if flaky > MOST_FLAKY else ""
    print(*(row.outputs for row in rows if row.flaky), sep="\n")
    print(f"\n{'step':<16} {'passed':>7} {'skipped':>8} {'seconds':>8}")
    print(*rows, *([f"FAILED: {problem}"] if problem else []), sep="\n")
    gates.main()
    return 1 if problem or any(row.problem for row in rows) else 0


def provide() -> Row:
    """Install the programs that are missing, each by itself so that one that cannot be had costs no other."""
    began = time.monotonic()
    is_root = os.geteuid() == 0
    if (packages := sorted(set(missing().values()))) and is_root and shutil.which("apt-get"):
        environ = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        for arguments in (["update"], *(["install", "-y", package] for package in packages)):
            print(f"apt-get {' '.join(arguments)}", flush=True)
            subprocess.call(["apt-get", "-qq", *arguments], env=environ, stdout=subprocess.DEVNULL)  # noqa: S607
    problems = [f"{program} is missing: apt-get install {package}" for program, package in missing().items()]
    if not is_root:
        problems.append("not root: nothing was installed, and Slurm's daemons cannot be started")
    return Row("programs", "; ".join(problems), seconds=time.monotonic() - began)


def missing() -> dict[str, str]:
    """The programs that are not there, with their packages."""
    places = (os.environ.get("PATH", os.defpath), "/usr/sbin", *glob.glob("/usr/lib/postgresql/*/bin"))  # noqa: PTH207
    path = os.pathsep.join(places)
    return {program: package for program, package in PROGRAMS.items() if shutil.which(program, path=path) is None}


def step(name: str, command: str) -> Row:
    """Run the command, count its tests, and run those that failed again."""
    began, cache = time.monotonic(), Path(".cache", "ci", name)
    shutil.rmtree(cache, ignore_errors=True)
    print(f"\n=== {name}: {command}", flush=True)
    status, text = run(command, PYTEST_ARGS=f"-o cache_dir={cache}")
    row = Row(name, "", counted(text), reasons(text))
    if status and (failed := to_repeat(cache, text)):
        print(f"\n=== {name}, once more: {' '.join(failed)}", flush=True)
        status, again = run(command, PYTEST_ARGS=f"-o cache_dir={cache} --lf --lfnf=none -n0")
        twice = failures(cache)
        row.flaky = [test for test in failed if test not in twice]
        row.outputs = "\n".join([f"=== {name}, first", *TRACEBACKS.findall(text), f"=== {name}, once more", again])
        row.problem = f"{len(twice)} tests failed twice: {', '.join(twice)}" if twice else ""
        row.counts["passed"] = (
            row.counts.get("passed", 0) + counted(again).get("passed", 0) - counted_twice(text, failed)
        )
    row.problem = row.problem or (f"exit status {status}" if status else differing(row))
    row.seconds = time.monotonic() - began
    return row


def run(command: str, **variables: str) -> tuple[int, str]:
    """Run a command and show what it prints; return its exit status and that."""
    printed = b""
    process = subprocess.Popen(  # noqa: S602 - ours
        command, shell=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**os.environ, **variables}
    )
    with process:
        assert process.stdout is not None  # noqa: S101 - for type checkers
        while chunk := os.read(process.stdout.fileno(), 65536):
            sys.stdout.buffer.write(chunk)
            sys.stdout.flush()
            printed += chunk
    return process.returncode, printed.decode("utf-8", "replace")


def counted(text: str) -> dict[str, int]:
    """The numbers of tests in pytest's last line."""
    return {kind: int(count) for count, kind in COUNTS.findall(["", *CLOSING.findall(text)][-1])}


def reasons(text: str) -> dict[str, int]:
    """How many tests were skipped, by file and reason."""
    found: Counter[str] = Counter()
    for count, file, reason in SKIP.findall(text):
        found[f"{file}: {reason}"] += int(count)
    return found


def failures(cache: Path) -> list[str]:
    """The tests that failed, as pytest remembers them."""
    file = cache / "v" / "cache" / "lastfailed"
    return sorted(json.loads(file.read_text("utf-8"))) if file.exists() else []


def to_repeat(cache: Path, text: str) -> list[str]:
    """The tests that failed, if they are few and nothing else failed."""
    failed = failures(cache)
    are_tests = all("::" in test for test in failed) and not BROKEN.search(text)
    return failed if are_tests and len(failed) <= MOST_REPEATED else []


def counted_twice(text: str, failed: list[str]) -> int:
    """How many tests passed before their teardown failed: pytest counts them as both."""
    both = [test for test in failed if f"\nERROR {test} - " in text and f"\nFAILED {test} - " in text]
    return len(TEARDOWN.findall(text)) - len(both)


def differing(row: Row) -> str:
    """Return how the tests of a step are not as scripts/ci.toml says; else return ""."""
    listed, passed = SKIPPED.get(row.name, {}), row.counts.get("passed", 0)
    for reason in sorted(listed.keys() | row.reasons.keys()):
        if (count := row.reasons.get(reason, 0)) != listed.get(reason, 0):
            return f"{count} tests were skipped, scripts/ci.toml says {listed.get(reason, 0)}: {reason}"
    if sum(row.reasons.values()) < row.counts.get("skipped", 0):
        return f"{row.counts['skipped']} tests were skipped without a reason that pytest prints"
    if expected := row.counts.get("xfailed", 0) + row.counts.get("xpassed", 0):
        return f"{expected} tests are expected to fail: repair or delete them"
    if passed != (said := PASSED.get(row.name, 0)):
        return f"{passed} tests passed, scripts/ci.toml says {said}: write {passed} there if none is lost"
    return ""


if __name__ == "__main__":
    sys.exit(main())
