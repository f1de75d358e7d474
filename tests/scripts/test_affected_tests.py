"""scripts/affected_tests.py: which tests a change affects."""

import shutil
import subprocess
from pathlib import Path

import pytest
from tests.scripts import conftest

from affected_tests import ROOT, affected_tests, changed_files, git, selected


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ("emulator/modelarts_emulator/engine/runs.py", "tests/emulator/engine/test_runs.py"),
        ("emulator/modelarts_emulator/s3/sigv4.py", "tests/emulator/s3/test_sigv4.py"),
        ("overlays/modelarts_toolkit/jobs/polling.py", "tests/overlays/test_waiting.py"),
        ("scripts/bundle.py", "tests/scripts/test_bundle.py"),
        ("overlays/modelarts_runtime/errors.py", "tests/generated"),
        ("openapi/v2/paths/algorithms.yaml", "tests/openapi"),
        ("tests/overlays/conftest.py", "tests/overlays/test_auth.py"),
        ("tests/emulator/engine/test_runs.py", "tests/emulator/engine/test_runs.py"),
        ("tests/emulator/conftest.py", "tests/emulator/engine/test_runs.py"),
        ("docs/emulator-control.md", "tests/emulator/control"),
        ("overlays/modelarts_toolkit/urls.py", "tests/overlays/test_cli.py"),
        ("emulator/modelarts_emulator/engine/supervisor.py", "tests/emulator/engine/test_worker.py"),
        ("emulator/modelarts_emulator/storage/protocol.py", "tests/emulator/test_isolation.py"),
        ("emulator/modelarts_emulator/resources.py", "tests/contract/test_what_is_shown.py"),
        ("emulator/modelarts_emulator/engine/events.py", "tests/emulator/v2/test_task_outputs.py"),
        ("emulator/modelarts_emulator/http/access.py", "tests/emulator/http"),
        (
            "emulator/modelarts_emulator/job_packages/moxing/client.py",
            "tests/emulator/job_packages/moxing/test_opening.py",
        ),
        ("overlays/modelarts_documents/schema.py", "tests/scripts/test_facts.py"),
        ("contract/modelarts_contract/run/hooks.py", "tests/contract/modelarts_contract/run/test_hooks.py"),
        ("tests/secret_values.py", "tests/runtime/test_errors.py"),
        ("tests/local_servers.py", "tests/overlays/test_calls.py"),
    ],
)
def test_a_change_affects_the_tests_that_mirror_it(changed, expected):
    """Beside a changed file, at its mirrored path, those that import it, and else those of its package."""
    assert expected in affected_tests([changed])


def test_git_says_why_it_reads_no_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a container whose checkout belongs to another user."""
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")

    with pytest.raises(SystemExit, match=r"(?s)detected dubious ownership.*git config --global --add safe\.directory"):
        changed_files("HEAD")


def test_a_helper_of_tests_affects_those_that_import_it():
    """Not all that are beside and below it, unless their conftest.py imports it."""
    assert "tests/overlays/test_auth.py" not in affected_tests(["tests/secret_values.py"])
    assert "tests/overlays/test_auth.py" in affected_tests(["tests/overlays/conftest.py"])
    assert "tests/emulator/engine/test_runs.py" in affected_tests(["tests/databases.py"])


def test_a_file_that_git_does_not_know_yet_is_changed(tmp_path: Path) -> None:
    """A new test runs before it is added."""
    (tmp_path / "scripts").mkdir()
    for name in ("affected_tests.toml", "affected_tests.py"):
        script = shutil.copy(ROOT / "scripts" / name, tmp_path / "scripts")
    (tmp_path / "tests").mkdir()
    for command in (["init", "--quiet"], ["add", "--all"], ["commit", "--quiet", "--message", "Begin"]):
        conftest.git(tmp_path, *command)
    (tmp_path / "tests" / "test_new.py").write_text("")

    done = subprocess.run(["python3", script], capture_output=True, text=True, check=True)

    assert done.stdout == "tests/test_new.py\n"


def test_a_file_of_every_folder_affects_a_test():
    """Whatever is changed, `make check` runs something."""
    sources = [path for path in git("ls-files", "-z") if not path.startswith("tests/") and (ROOT / path).exists()]
    of_folders = {path.rpartition("/")[0]: path for path in sources}
    tests = git("ls-files", "-z", "tests/*.py")

    assert [path for path in of_folders.values() if not selected(path, tests)] == []
