"""The pytest plugin: a fixture `emulator`, one server per run, as good as new in every test.

Nothing of the emulator is imported before a test asks for it, because every run of pytest loads this file.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from modelarts_emulator.server import Emulator

EXECUTORS = ("simulated", "process")
MARKER = "emulator"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Settings are lines of the configuration, which `pytest -o` overrules."""
    parser.addini("emulator_executor", "how the emulator runs jobs: simulated or process", default="simulated")
    parser.addini("emulator_seeds", "folder of what exists at the begin of every test", type="paths", default=[])


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", f"{MARKER}(**options): the fixture `emulator` has these options of `Emulator`")


@pytest.fixture(scope="session")
def emulator_servers(pytestconfig: pytest.Config) -> Iterator[Callable[..., Emulator]]:
    """Gives the emulator of this run with these options, started at the first call for them."""
    with contextlib.ExitStack() as stack:
        started: dict[str, Emulator] = {}

        def server(**options: Any) -> Emulator:
            key = repr(sorted(options.items()))
            if key not in started:
                started[key] = _start(pytestconfig, stack, options)
            return started[key]

        yield server


@pytest.fixture
def emulator(request: pytest.FixtureRequest, emulator_servers: Callable[..., Emulator]) -> Emulator:
    """A running emulator that holds the seeds and nothing else; the marker `emulator` gives it options."""
    options: dict[str, Any] = {}
    for marker in reversed(list(request.node.iter_markers(MARKER))):
        if marker.args:
            pytest.fail(f"the marker {MARKER} takes options by their names only", pytrace=False)
        options |= marker.kwargs
    running = emulator_servers(**options)
    running.reset()
    return running


@pytest.hookimpl(optionalhook=True)
def pytest_modelarts_exchanges(item: pytest.Item) -> list[dict[str, Any]]:
    """What the emulator of the test has served, for the plugin `modelarts_contract`; long bodies are not known."""
    running = _emulator_of(item)
    if running is None:
        return []
    try:
        calls = running.calls.list()
    except ValueError:  # an emulator of the project's own, which does not record
        return []
    return [
        {
            "method": call.method,
            "url": f"{running.endpoint}{call.path}" + (f"?{call.query_string}" if call.query_string else ""),
            "status": call.status or 0,
            "request_headers": call.request_headers,
            "request_body": call.request_text.encode(),
            "response_headers": call.response_headers,
            "response_body": call.response_text.encode(),
            "started_at": datetime.fromtimestamp(call.started_at_s, UTC),
            "duration_s": call.duration_s,
            "has_request_body": not call.is_truncated,
            "has_body": not call.is_truncated,
        }
        for call in calls
    ]


@pytest.hookimpl(optionalhook=True)
def pytest_modelarts_emulators(item: pytest.Item) -> list[str]:
    """The URL of the emulator of the test, for the plugin `modelarts_contract`."""
    running = _emulator_of(item)
    return [] if running is None else [running.endpoint]


def _emulator_of(item: pytest.Item) -> Emulator | None:
    found: Emulator | None = getattr(item, "funcargs", {}).get("emulator")
    return found


@pytest.fixture
def emulator_environment(emulator: Emulator, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The environment variables that lead clients to the emulator, set for this test."""
    from modelarts_emulator.settings.client_env import FOREIGN

    variables = emulator.environment()
    for name in FOREIGN:
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    return variables


def _start(config: pytest.Config, stack: contextlib.ExitStack, options: dict[str, Any]) -> Emulator:
    """Start an emulator with these options instead of those of the configuration; fails the test if it cannot be."""
    # `from None`, because pytest would also print the error.
    try:
        from modelarts_emulator.errors import EmulatorError
        from modelarts_emulator.server import Emulator
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("modelarts_"):
            raise
        needed = f"the fixtures of the emulator need more libraries ({error.name.partition('.')[0]})"
        install = "pip install 'modelarts-toolkit[emulator]'"
        raise pytest.fail.Exception(f"{needed}: {install}", pytrace=False) from None

    executor = config.getini("emulator_executor")
    if executor not in EXECUTORS:
        pytest.fail(f"emulator_executor is {executor!r}: use {' or '.join(EXECUTORS)}", pytrace=False)
    seeds = next(iter(config.getini("emulator_seeds")), None)
    common = {"executor": executor, "seeds": seeds, "record_calls": True, "fsync": False}
    try:
        return stack.enter_context(Emulator(**common | options))
    except (EmulatorError, OSError, TypeError) as error:
        raise pytest.fail.Exception(str(error), pytrace=False) from None
