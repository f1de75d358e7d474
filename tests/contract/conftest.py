"""The service under test, and how its documents are held against it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

import pytest

from . import runs
from .service import OURS, Service, real, serving

Contract = Callable[..., runs.Outcome]
Another = Callable[[], AbstractContextManager[Service]]
TRIED = pytest.StashKey[list[runs.Outcome]]()


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """The service under test: SERVICE=https://... with the toolkit's variables, else an emulator on a free port."""
    with serving(tmp_path_factory.mktemp("emulator")) if OURS else real() as service:
        yield service


@pytest.fixture(scope="session")
def another(
    service: Service, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[], AbstractContextManager[Service]]:
    """Serves another emulator, so that runs do not meet each other's things; a real service is always the same."""
    return lambda: serving(tmp_path_factory.mktemp("emulator")) if OURS else contextlib.nullcontext(service)


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
