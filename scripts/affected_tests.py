"""Print the test files that a change affects: `python scripts/affected_tests.py [REVISION]`.

The change is what differs from REVISION (HEAD unless given), with what is not committed and not tracked. A source
file affects the test file whose path mirrors its own, or without one all tests of its package, and the test files that
import it or mirror a module that does; a document affects the tests of documents; a template or a generated file those
of the generated client. Any other file affects the tests of the repository.
"""

import json
import subprocess
import sys
import tomllib
from collections.abc import Collection
from functools import cache
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[1]
# Where a package's sources and its tests are.
PACKAGES = {
    "emulator/modelarts_emulator": "tests/emulator",
    "overlays/modelarts_documents": "tests/documents",
    "overlays/modelarts_runtime": "tests/runtime",
    "overlays/modelarts_toolkit": "tests/overlays",
    "contract/modelarts_contract": "tests/contract/modelarts_contract",
    "scripts": "tests/scripts",
}
OTHERS = "tests/repository"
FOLDERS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


def main() -> int:
    revision = sys.argv[1] if len(sys.argv) > 1 else "HEAD"
    sys.stdout.write("".join(f"{test}\n" for test in affected_tests(changed_files(revision))))
    return 0


def changed_files(revision: str) -> list[str]:
    """Return the paths that differ from the revision and still exist, relative to the repository."""
    untracked = git("ls-files", "--others", "--exclude-standard", "-z")  # first: it says why git reads no repository
    changed = git("diff", "--name-only", "--diff-filter=d", "-z", revision)
    return sorted({*changed, *untracked})


def git(*arguments: str, check: bool = True) -> list[str]:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S607 - the git that the user has
    if check and done.returncode != 0:
        raise SystemExit(f"git {arguments[0]}: {done.stderr.partition('usage:')[0].strip()}")
    return [path for path in done.stdout.split("\0") if path]


def affected_tests(changed: list[str]) -> list[str]:
    """Return the test files and folders for these changed paths, sorted, each once."""
    tests = {*git("ls-files", "--cached", "--others", "--exclude-standard", "-z", "tests/*.py")}
    return sorted({test for path in changed for test in selected(path, tests)})


def selected(path: str, tests: Collection[str]) -> set[str]:
    """Return the test files and folders for a changed path; `tests` has the paths of all modules of tests."""
    found = {of for source, of in FOLDERS.items() if path == source or path.startswith(f"{source}/")}
    importing = [] if is_test(path) or not path.endswith(".py") else [*dependents().get(path, ()), *programs(path)]
    found |= {each for each in (path, *importing, *map(mirror, importing)) if is_test(each) and each in tests}
    if path.startswith("tests/"):
        shared = [each for each in (path, *importing) if each.endswith("/conftest.py")]
        found |= {test for each in shared or ([] if found else [path]) for test in tests_below(each, tests)}
    elif own := mirror(path):
        found.add(own if own in tests else folder_of_tests(own))
    return {each for each in found if (ROOT / each).exists()} or {OTHERS}


def is_test(path: str) -> bool:
    return path.startswith("tests/") and PurePosixPath(path).name.startswith("test_")


def tests_below(path: str, tests: Collection[str]) -> set[str]:
    """Return the tests beside and below a conftest.py or a helper of tests."""
    folder = PurePosixPath(path).parent
    return {test for test in tests if is_test(test) and folder in PurePosixPath(test).parents}


@cache
def dependents() -> dict[str, list[str]]:
    """Return the modules that import each module, all by their paths."""
    command = [sys.executable, "-m", "ruff", "analyze", "graph", "--preview", "--quiet", "--direction", "dependents"]
    graph: dict[str, list[str]] = json.loads(subprocess.check_output(command, cwd=ROOT))
    return graph


def programs(path: str) -> list[str]:
    """Return the tests that import the module at this path in a program, which is a text to them."""
    source = next((each for each in PACKAGES if path.startswith(f"{each}/")), "tests")
    name = str(PurePosixPath(path).relative_to(PurePosixPath(source).parent).with_suffix("")).replace("/", ".")
    package, _, module = name.rpartition(".")
    form = rf"^ *((from|import) {name.removeprefix('scripts.')}|from {package} import .*\b{module})\b"
    command = ["grep", "--name-only", "--extended-regexp", "-z", form]
    return git(*command, "--", "tests/*.py", check=False)


def mirror(path: str) -> str:
    """Return where the tests of a source file are, whether there are any or not; "" for what is in no package."""
    for source, tests in PACKAGES.items():
        if path.startswith(f"{source}/"):
            inner = PurePosixPath(path).relative_to(source)
            return str(PurePosixPath(tests, inner.parent, f"test_{inner.name}"))
    return ""


def folder_of_tests(own: str) -> str:
    """Return the folder where this test file would be, or the nearest one around it that exists."""
    return str(next(each for each in PurePosixPath(own).parents if (ROOT / each).is_dir()))


if __name__ == "__main__":
    sys.exit(main())
