"""Print the test files that a change affects: `python scripts/affected_tests.py [REVISION]`.

The change is what differs from REVISION (HEAD unless given), with what is not committed and not tracked. A source
file affects the test file whose path mirrors its own, or without one all tests of its package, and the test files that
import it; a document affects the tests of documents; a template or a generated file those of the generated client.
Any other file affects the tests of the repository.
"""

import re
import subprocess
import sys
import tomllib
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
    changed = git("diff", "--name-only", "--diff-filter=d", "-z", revision)
    untracked = git("ls-files", "--others", "--exclude-standard", "-z")
    return sorted({*changed, *untracked})


def git(*arguments: str) -> list[str]:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S607 - the git that the user has
    if done.returncode != 0:
        raise SystemExit(f"git {arguments[0]}: {done.stderr.partition('usage:')[0].strip()}")
    return [path for path in done.stdout.split("\0") if path]


def affected_tests(changed: list[str]) -> list[str]:
    """Return the test files and folders for these changed paths, sorted, each once."""
    named = git("ls-files", "--cached", "--others", "--exclude-standard", "-z", "tests/*.py")
    tests = {path: (ROOT / path).read_text("utf-8") for path in named if (ROOT / path).exists()}
    return sorted({test for path in changed for test in selected(path, tests)})


def selected(path: str, tests: dict[str, str]) -> set[str]:
    """Return the test files and folders for a changed path; `tests` has all files of tests with their texts."""
    found = {of for source, of in FOLDERS.items() if path == source or path.startswith(f"{source}/")}
    if path.startswith("tests/"):
        found |= {path} if PurePosixPath(path).name.startswith("test_") else neighbours(path, tests)
    for source in PACKAGES:
        if path.startswith(f"{source}/"):
            found |= {mirror(path, source)} if mirror(path, source) in tests else {folder_of_tests(path, source)}
            if path.endswith(".py"):
                found |= tests_of_module(path, source, tests)
    return {each for each in found if (ROOT / each).exists()} or {OTHERS}


def neighbours(path: str, tests: dict[str, str]) -> set[str]:
    """Return the test files beside and below a conftest.py or a helper of tests."""
    folder = PurePosixPath(path).parent
    return {test for test in tests if folder in PurePosixPath(test).parents and "/test_" in test}


def tests_of_module(path: str, source: str, tests: dict[str, str]) -> set[str]:
    """Return the tests that import a module, and those of the modules of its package that import it."""
    imports = import_pattern(path, source)
    name = PurePosixPath(path).stem

    def imported(text: str) -> bool:
        return name in text and bool(imports.search(text))  # the first condition saves nearly all of the time

    found = {mirror(module, source) for module, text in modules(source).items() if imported(text)}
    return found | {test for test, text in tests.items() if "/test_" in test and imported(text)}


@cache
def modules(source: str) -> dict[str, str]:
    """Return the texts of a package's modules by their paths."""
    paths = [path for path in git("ls-files", "-z", f"{source}/*.py") if (ROOT / path).exists()]
    return {path: (ROOT / path).read_text("utf-8") for path in paths}


def folder_of_tests(path: str, source: str) -> str:
    """Return the folder with the tests of the package, or of the nearest one around it that has some."""
    folder = PurePosixPath(PACKAGES[source], PurePosixPath(path).relative_to(source).parent)
    return str(next(each for each in (folder, *folder.parents) if (ROOT / each).is_dir()))


def mirror(path: str, source: str) -> str:
    """Return where the tests of a source file are, whether there are any or not."""
    inner = PurePosixPath(path).relative_to(source)
    return str(PurePosixPath(PACKAGES[source], inner.parent, f"test_{inner.name}"))


def import_pattern(path: str, source: str) -> re.Pattern[str]:
    """Match an import of the module at this path, as a whole or of names from it."""
    package = [] if source == "scripts" else [PurePosixPath(source).name]
    parts = [*package, *PurePosixPath(path).relative_to(source).with_suffix("").parts]
    module, parent, name = map(re.escape, (".".join(parts), ".".join(parts[:-1]), parts[-1]))
    return re.compile(rf"^\s*(from|import) {module}\b|^\s*from {parent} import [^\n]*\b{name}\b", re.MULTILINE)


if __name__ == "__main__":
    sys.exit(main())
