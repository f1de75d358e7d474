"""What all tests share: the databases that emulators use, clusters, and how processes are interrupted."""

from __future__ import annotations

import gc
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import certifi
import pytest
from hypothesis import settings
from sqlalchemy import Engine
from tests import slurm as slurm_programs
from tests.databases import NewDatabase, PostgresqlServer, why_not
from tests.slurm import SlurmCluster

from modelarts_emulator.engine.database import open_database

SLOWEST = Path(__file__).parent / "data" / "slowest_files.txt"  # written by make slowest-files

settings.load_profile("ci")  # the same examples every time, without a deadline, which a busy machine would miss
gc.disable()  # a third of the time to collect the tests would go into looking for garbage among them


def pytest_configure() -> None:
    """Let tests interrupt the processes that they start; a shell's background commands would ignore it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


class KeptImports:
    """A plugin for runs of `pytester` in this process: what they import stays imported, as its classes stay in use."""

    def __init__(self) -> None:
        self.modules: dict[str, ModuleType] = {}

    def pytest_unconfigure(self, config: pytest.Config) -> None:
        own = str(config.rootpath)
        modules = list(sys.modules.items())
        self.modules |= {name: each for name, each in modules if own not in str(getattr(each, "__file__", ""))}


@pytest.fixture
def kept_imports() -> Iterator[KeptImports]:
    """To be requested before `pytester`, which forgets at its end what was imported since it began."""
    plugin = KeptImports()
    yield plugin
    sys.modules.update(plugin.modules)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Begin with the files that take longest, so that the workers of pytest-xdist end together.

    With another database, leave out the tests that would do the same again because they have no such emulator.
    """
    rank = {file: number for number, file in enumerate(SLOWEST.read_text("utf-8").split())}
    items.sort(key=lambda item: rank.get(item.nodeid.partition("::")[0], len(rank)))
    if config.getoption("--database") == "sqlite":
        return
    kept = [item for item in items if {"new_database", "postgresql_server"} & set(getattr(item, "fixturenames", ()))]
    config.hook.pytest_deselected(items=[item for item in items if item not in set(kept)])
    items[:] = kept


def pytest_collection_finish() -> None:
    """Look for garbage from now on, but not among modules and tests, which stay until the end."""
    gc.freeze()
    gc.enable()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--database",
        choices=["sqlite", "postgresql"],
        default="sqlite",
        help="where the emulators of the tests keep their state; tests of the database itself use both",
    )


@pytest.fixture(scope="session", autouse=True)
def one_authority(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Let clients trust one authority: to read the 140 of certifi takes each of them 50 ms of processor time."""
    file = tmp_path_factory.mktemp("certificates") / "one.pem"
    first, end, _ = Path(certifi.where()).read_text("utf-8").partition("-----END CERTIFICATE-----\n")
    file.write_text(first + end, "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SSL_CERT_FILE", str(file))
        yield


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[PostgresqlServer]:
    """A PostgreSQL server, one for each worker."""
    if reason := why_not():
        pytest.skip(reason)
    server = PostgresqlServer()
    yield server
    server.close()


@pytest.fixture(scope="session")
def new_database(request: pytest.FixtureRequest) -> NewDatabase:
    """Makes URLs of empty databases for emulators; None stands for SQLite."""
    if request.config.getoption("--database") == "sqlite":
        return lambda: None
    server: PostgresqlServer = request.getfixturevalue("postgresql_server")
    return server.new_database


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Path | str:
    """An empty database of either kind, as `open_database` takes it."""
    if request.param == "sqlite":
        return tmp_path / "emulator.db"
    return str(request.getfixturevalue("postgresql_server").new_database())


@pytest.fixture
def engine(database: Path | str) -> Iterator[Engine]:
    """An opened database of either kind."""
    opened = open_database(database)
    yield opened
    opened.dispose()


@pytest.fixture(scope="session")
def slurm_cluster() -> Iterator[SlurmCluster]:
    """A Slurm cluster of three nodes, one for each worker."""
    if reason := slurm_programs.why_not():
        pytest.skip(reason)
    cluster = SlurmCluster()
    yield cluster
    cluster.close()


@pytest.fixture
def slurm(slurm_cluster: SlurmCluster, monkeypatch: pytest.MonkeyPatch) -> SlurmCluster:
    """The cluster, which Slurm's commands find by `SLURM_CONF`."""
    for name, value in slurm_cluster.environment.items():
        monkeypatch.setenv(name, value)
    return slurm_cluster
