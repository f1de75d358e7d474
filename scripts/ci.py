"""Run what CI runs, on a fresh clone, and print one table at the end: `python3 scripts/ci.py`.

What the tests need of this machine has to be there, so that no test is skipped without it: what is missing is
installed where this is possible (root, apt-get), else the run fails, after all other steps. A step also fails if fewer
tests passed than it has, if one was skipped for a reason that no list names, or if one is expected to fail. Every step
is run, whatever became of those before it, unless the environment for it is missing.
"""

import glob
import os
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# The programs that tests start, with the package of Debian that has each.
PROGRAMS = {
    "initdb": "postgresql",
    "rclone": "rclone",
    "slurmctld": "slurmctld",
    "slurmd": "slurmd",
    "sbatch": "slurm-client",
    "munged": "munge",
    "openssl": "openssl",
    "curl": "curl",
    "chromium": "chromium",
    "node": "nodejs",
    "npm": "npm",
    "java": "default-jre-headless",
    "bash": "bash",
}
ENVIRONMENTS = "make --jobs=3 setup engine-pytorch && make peers && make clients && make browser"
STEPS = {
    "lint": "make lint",
    "diff-api": 'make diff-api BASE="$(scripts/api_base.sh)" ARGS="--changelog CHANGELOG.md"',
    "diff-names": 'make diff-names BASE="$(scripts/api_base.sh)"',
    "stock-tools": "make stock-tools",
    "bench-pairs": 'make bench-pairs BASE="$(scripts/api_base.sh)"',
    "test": "make test --assume-old lint",  # it has been run
    "test-ci": "make test-ci",
    "test-lowest": "make test-lowest",
    "test-postgresql": "make test-postgresql",
    "test-engines": "make test-engines",
}
# How many tests each step passes at least. Whoever deletes tests lowers the number with them; a step that passes
# many more says so in the table, and its number is raised.
PASSED = {
    "stock-tools": 24,
    "test": 3570,
    "test-ci": 70,
    "test-lowest": 352,
    "test-postgresql": 93,
    "test-engines": 28,
}
# The only reasons for which a test may be skipped here, each as it is printed from its beginning.
SKIPS = (
    "TensorFlow is not installed for it",  # as large as all else together
    "there is no Python 3.9",  # Debian has one Python
)
# The step for the documents is left out if none of these has changed since the last release.
OF_THE_DOCUMENTS = 'git diff --quiet "$(scripts/api_base.sh)" -- openapi generated scripts requirements/stock-tools'
COUNTS = re.compile(r"(\d+) (passed|failed|skipped|xfailed|xpassed|errors?)\b")
CLOSING = re.compile(r"^=* ?(\d+ [a-z]+,? ?.*) in [\d.]+s.*$", re.MULTILINE)
SKIPPED = re.compile(r"^SKIPPED \[(\d+)\] [^ ]+: (.*)$", re.MULTILINE)
REASON_LENGTH = 90
RAISE_ABOVE = 1.02  # of the number in PASSED


@dataclass
class Row:
    """What became of a step."""

    name: str
    problem: str = ""
    counts: Mapping[str, int] = field(default_factory=dict)
    reasons: Mapping[str, int] = field(default_factory=dict)
    seconds: float = 0.0

    def __str__(self) -> str:
        passed, skipped = (self.counts.get(kind, "") for kind in ("passed", "skipped"))
        least = PASSED.get(self.name, sys.maxsize)
        grown = self.counts.get("passed", 0) > RAISE_ABOVE * least
        verdict = f"FAILED: {self.problem}" if self.problem else f"ok; PASSED still says {least}" if grown else "ok"
        lines = [f"{self.name:<16} {passed:>7} {skipped:>8} {self.seconds:>8.0f}  {verdict}"]
        lines += [f"{'':<16} {'':>7} {count:>8} {'':>8}  {reason}" for reason, count in sorted(self.reasons.items())]
        return "\n".join(lines)


def main() -> int:
    os.chdir(ROOT)
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # the Makefile says why
    rows = [provide(), step("environments", ENVIRONMENTS)]
    if not rows[-1].problem:
        os.sync()  # the tests flush what they write, and would wait for what was installed
        left_out = {"stock-tools"} if subprocess.call(OF_THE_DOCUMENTS, shell=True) == 0 else set()  # noqa: S602 - ours
        rows += [step(name, command) for name, command in STEPS.items() if name not in left_out]
    print(f"\n{'step':<16} {'passed':>7} {'skipped':>8} {'seconds':>8}")
    print(*rows, sep="\n", flush=True)
    return 1 if any(row.problem for row in rows) else 0


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
    """Run the command, show what it prints, and count its tests."""
    print(f"\n=== {name}: {command}", flush=True)
    began = time.monotonic()
    printed = b""
    with subprocess.Popen(command, shell=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:  # noqa: S602 - ours
        assert process.stdout is not None  # noqa: S101 - for type checkers
        while chunk := os.read(process.stdout.fileno(), 65536):
            sys.stdout.buffer.write(chunk)
            sys.stdout.flush()
            printed += chunk
    text = printed.decode("utf-8", "replace")
    closing = ["", *CLOSING.findall(text)][-1]
    counts = {kind: int(count) for count, kind in COUNTS.findall(closing)}
    reasons: Counter[str] = Counter()
    for count, reason in SKIPPED.findall(text):
        reasons[reason[:REASON_LENGTH]] += int(count)
    problem = f"exit status {process.returncode}" if process.returncode else missed_tests(name, counts, reasons)
    return Row(name, problem, counts, reasons, time.monotonic() - began)


def missed_tests(name: str, counts: Mapping[str, int], reasons: Mapping[str, int]) -> str:
    """Return why a step without a failed test has failed: tests are missing, or did not run; else return ""."""
    unlisted = sorted(reason for reason in reasons if not reason.startswith(SKIPS))
    expected = counts.get("xfailed", 0) + counts.get("xpassed", 0)
    passed, least = counts.get("passed", 0), PASSED.get(name, 0)
    if unlisted:
        return f"skipped for a reason that is not in SKIPS: {unlisted[0]}"
    if sum(reasons.values()) < counts.get("skipped", 0):
        return f"{counts['skipped']} tests were skipped without a reason that pytest prints"
    if expected:
        return f"{expected} tests are expected to fail: repair or delete them"
    if passed < least:
        return f"{passed} tests passed, PASSED says at least {least}"
    return ""


if __name__ == "__main__":
    sys.exit(main())
