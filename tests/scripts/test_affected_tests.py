"""scripts/affected_tests.py: which tests a change affects."""

import pytest

from affected_tests import affected_tests


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ("emulator/modelarts_emulator/jobs/phases.py", "tests/emulator/jobs/test_phases.py"),
        ("emulator/modelarts_emulator/storage/server/sigv4.py", "tests/emulator/storage/server/test_sigv4.py"),
        ("overlays/modelarts_toolkit/waiting.py", "tests/overlays/test_waiting.py"),
        ("scripts/bundle.py", "tests/scripts/test_bundle.py"),
        ("overlays/modelarts_runtime/errors.py", "tests/generated"),
        ("openapi/v2/paths/algorithms.yaml", "tests/openapi"),
        ("tests/overlays/conftest.py", "tests/overlays/test_auth.py"),
        ("tests/emulator/jobs/test_phases.py", "tests/emulator/jobs/test_phases.py"),
        ("tests/emulator/conftest.py", "tests/emulator/jobs/test_phases.py"),
        ("docs/emulator-control.md", "tests/emulator/control"),
        ("overlays/modelarts_toolkit/urls.py", "tests/overlays/test_config.py"),
        ("emulator/modelarts_emulator/jobs/retries.py", "tests/emulator/jobs/test_poller.py"),
    ],
)
def test_a_change_affects_the_tests_that_mirror_it(changed, expected):
    """The tests beside, or at the mirrored path of, a changed file are affected."""
    assert expected in affected_tests([changed])


def test_a_change_affects_the_tests_that_import_the_module():
    """A test file elsewhere that imports a changed module is affected."""
    assert "tests/emulator/v2/handlers/test_logs.py" in affected_tests(["emulator/modelarts_emulator/jobs/phases.py"])


def test_a_change_of_prose_affects_nothing():
    """A file that no test covers affects no test."""
    assert affected_tests(["LICENSE"]) == []
