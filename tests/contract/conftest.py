"""The service under test, and how its documents are held against it."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

import pytest

from modelarts_contract.run import runs
from modelarts_contract.run.emulated import serving
from modelarts_contract.run.outcome import Outcome
from modelarts_contract.run.real import ServiceError, real
from modelarts_contract.run.service import Service
from modelarts_toolkit.errors import ToolkitError

Contract = Callable[..., Outcome]
Another = Callable[[], AbstractContextManager[Service]]


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
def contract(service: Service, tmp_path_factory: pytest.TempPathFactory) -> Contract:
    """Run schemathesis over one document against the service, or another one."""

    def run(
        document: str, *options: str, name: str | None = None, url: str | None = None, at: Service | None = None
    ) -> Outcome:
        return runs.run(
            at or service, tmp_path_factory.mktemp("schemathesis"), name or document, document, *options, url=url
        )

    return run
