"""Print the test files that a change affects: `python scripts/affected_tests.py [REVISION]`.

The change is what differs from REVISION (HEAD unless given), with what is not committed and not tracked. A source
file affects the test file whose path mirrors its own, or without one all tests of its package, and the test files that
import it; a document affects the tests of documents; a template or a generated file those of the generated client.
Any other file affects the tests of the repository.
"""

import re
import subprocess
import sys
from functools import cache
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[1]
# Where a package's sources and its tests are.
PACKAGES = {
    "emulator/modelarts_emulator": "tests/emulator",
    "overlays/modelarts_runtime": "tests/runtime",
    "overlays/modelarts_toolkit": "tests/overlays",
    "contract/modelarts_contract": "tests/contract/modelarts_contract",
    "scripts": "tests/scripts",
}
OTHERS = "tests/repository"
FOLDERS = {
    "openapi": "tests/openapi",
    "scripts/templates": "tests/generated",
    "overlays/modelarts_runtime": "tests/generated",
    "scripts/install_clients.py": "tests/clients",
    "contract/modelarts_contract/run": "tests/contract/test_they_can_fail.py",
    "contract/modelarts_contract/overlays": "tests/contract/test_documents.py",
    "emulator/modelarts_emulator/engine": "tests/emulator/test_isolation.py",
    "emulator/modelarts_emulator/resources.py": "tests/contract/test_what_is_shown.py",
    "emulator/modelarts_emulator/storage/protocol.py": "tests/emulator/test_isolation.py",
    "emulator/modelarts_emulator/s3": "tests/clients",
    "emulator/modelarts_emulator/iam": "tests/clients",
    "generated": "tests/generated",
    "examples": "tests/stories/test_demo.py",
    "examples/ci": "tests/stories/test_ci_examples.py",
    "examples/command-executor": "tests/emulator/execution/test_command_executor.py",
    "docs": "tests/stories/test_documentation.py",
    "docs/operation_examples.py": "tests/docs",
    "README.md": "tests/stories/test_documentation.py",
    "docs/emulator-control.md": "tests/emulator/control",
    "docs/security.md": "tests/emulator/http",
    "docs/emulator-differences.md": "tests/emulator/execution/test_container.py",
    "emulator/modelarts_emulator/settings/catalogue.toml": "tests/emulator/settings",
}


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
    tests = {path: (ROOT / path).read_text("utf-8") for path in python_tests() if (ROOT / path).exists()}
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


def python_tests() -> list[str]:
    return git("ls-files", "--cached", "--others", "--exclude-standard", "-z", "tests/*.py")


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
    module, parent, name = ".".join(parts), ".".join(parts[:-1]), parts[-1]
    forms = [rf"^\s*(from|import) {re.escape(module)}\b"]
    if parent:
        forms.append(rf"^\s*from ({re.escape(parent)}|\.) import [^\n]*\b{re.escape(name)}\b")
        forms.append(rf"^\s*from \.{re.escape(name)} import ")
    return re.compile("|".join(forms), re.MULTILINE)


if __name__ == "__main__":
    sys.exit(main())
