"""Print the test files that a change affects: `python scripts/affected_tests.py [REVISION]`.

The change is what differs from REVISION (HEAD unless given), with what is not committed and not tracked. A source
file affects the test file whose path mirrors its own and the test files that import it; a document affects the tests
of documents; a template or a generated file those of the generated client.
"""

import re
import subprocess
import sys
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
FOLDERS = {
    "openapi": "tests/openapi",
    "scripts/templates": "tests/generated",
    "overlays/modelarts_runtime": "tests/generated",
    "scripts/install_clients.py": "tests/clients",
    "emulator/modelarts_emulator/storage/server": "tests/clients",
    "emulator/modelarts_emulator/iam": "tests/clients",
    "generated": "tests/generated",
    "examples": "tests/stories/test_demo.py",
    "examples/ci": "tests/stories/test_ci_examples.py",
    "examples/command-executor": "tests/emulator/execution/test_command_executor.py",
    "README.md": "tests/stories/test_readme.py",
    "docs/emulator-control.md": "tests/emulator/control",
    "docs/security.md": "tests/emulator/http",
    "docs/emulator-differences.md": "tests/emulator/execution/test_container.py",
    "emulator/modelarts_emulator/settings/catalogue.toml": "tests/emulator/settings",
    "emulator/modelarts_emulator/tuning/templates": "tests/emulator/v2/handlers",
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
    found: set[str] = set()
    for path in changed:
        if path.startswith("tests/"):
            found |= {path} if PurePosixPath(path).name.startswith("test_") else neighbours(path, tests)
        found |= {tests_of for source, tests_of in FOLDERS.items() if path == source or path.startswith(f"{source}/")}
        if path.endswith(".py"):
            found |= tests_of_module(path, tests)
    return sorted(path for path in found if (ROOT / path).exists())


def python_tests() -> list[str]:
    return git("ls-files", "--cached", "--others", "--exclude-standard", "-z", "tests/*.py")


def neighbours(path: str, tests: dict[str, str]) -> set[str]:
    """Return the test files beside and below a conftest.py or a helper of tests."""
    folder = PurePosixPath(path).parent
    return {test for test in tests if folder in PurePosixPath(test).parents and "/test_" in test}


def tests_of_module(path: str, tests: dict[str, str]) -> set[str]:
    """Return the tests of a module, and of the modules of its package that import it."""
    for source in PACKAGES:
        if path.startswith(f"{source}/"):
            imports = import_pattern(path, source)
            modules = [other for other in git("ls-files", "-z", f"{source}/*.py") if (ROOT / other).exists()]
            users = [other for other in modules if imports.search((ROOT / other).read_text("utf-8"))]
            found = {mirror(module, source) for module in [path, *users]}
            return found | {test for test, text in tests.items() if "/test_" in test and imports.search(text)}
    return set()


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
