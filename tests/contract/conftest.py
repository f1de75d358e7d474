"""The service under test, and how its documents are held against it."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

import pytest
from tests.contract import runs
from tests.contract.real import ServiceError, real
from tests.contract.service import Service, serving

from modelarts_toolkit.errors import ToolkitError

Contract = Callable[..., runs.Outcome]
Another = Callable[[], AbstractContextManager[Service]]
TRIED = pytest.StashKey[list[runs.Outcome]]()


def is_real() -> bool:
    return bool(os.environ.get("SERVICE"))


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """The service under test: SERVICE=https://... with the toolkit's settings, else an emulator on a free port."""
    with contextlib.ExitStack() as stack:
        if not is_real():
            yield stack.enter_context(serving(tmp_path_factory.mktemp("emulator")))
            return
        if os.environ.get("PYTEST_XDIST_WORKER"):
            pytest.exit("a real service is tried by one process only: leave out -n", pytest.ExitCode.USAGE_ERROR)
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # Ends the run like Ctrl-C, which cleans up.
        try:
            service = stack.enter_context(real())
        except (ToolkitError, ServiceError) as problem:
            pytest.exit(str(problem), pytest.ExitCode.USAGE_ERROR)
        yield service


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Set no time limit on tests of a real service: its jobs wait for resources, and its guard for its turn."""
    for item in items if is_real() else ():
        item.add_marker(pytest.mark.timeout(0), append=False)


@pytest.fixture(scope="session")
def another(
    service: Service, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[], AbstractContextManager[Service]]:
    """Serves another emulator, so that runs do not meet each other's things; a real service is always the same."""
    if service.is_real:
        return lambda: contextlib.nullcontext(service)
    return lambda: serving(tmp_path_factory.mktemp("emulator"))


@pytest.fixture(scope="session")
def contract(service: Service, tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Contract:
    """Run schemathesis with schemathesis.toml over one document against the service, or another one."""

    def run(
        document: str, *options: str, name: str | None = None, url: str | None = None, at: Service | None = None
    ) -> runs.Outcome:
        folder = tmp_path_factory.mktemp("schemathesis")
        outcome = runs.run(at or service, folder, name or document, document, *options, url=url)
        pytestconfig.stash.setdefault(TRIED, []).append(outcome)
        return outcome

    return run


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say how many cases there were and how quickly they went; the same lands in .cache."""
    tried = [outcome for outcome in config.stash.get(TRIED, []) if not outcome.name.endswith("-broken")]
    if tried:
        (runs.REPORTS / "cases.txt").write_text(runs.table(tried) + "\n")
        terminalreporter.section("cases of the contract tests")
        terminalreporter.write_line(runs.table(tried))
