"""The service under test, and how its documents are held against it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.contract.played import Colleague, Played, playing

from modelarts_contract.run import runs
from modelarts_contract.run.emulated import serving
from modelarts_contract.run.outcome import Outcome
from modelarts_contract.run.service import Service

Contract = Callable[..., Outcome]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """The service under test, an emulator on a free port; the tests of a file share what they do to it.

    It ends with them: with all the jobs that they leave, it costs time as long as it runs.
    """
    with serving(tmp_path_factory.mktemp("emulator")) as service:
        yield service


@pytest.fixture(scope="module")
def contract(service: Service, tmp_path_factory: pytest.TempPathFactory) -> Contract:
    """Run schemathesis over one document against the service, or what stands in front of it at the URL."""

    def run(document: str, *options: str, name: str | None = None, url: str | None = None) -> Outcome:
        folder = tmp_path_factory.mktemp("schemathesis")
        return runs.run(service, folder, name or document, document, *options, url=url)

    return run


@pytest.fixture
def played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Played]:
    """An emulator that poses as a service."""
    with playing(tmp_path, monkeypatch) as played:
        yield played


@pytest.fixture
def colleague(played: Played) -> Iterator[Colleague]:
    """Somebody who works in the same project."""
    with Colleague(played) as colleague:
        yield colleague
