"""pytest: every exchange of a test is held against the documents.

`@pytest.mark.modelarts_contract` marks a test, a class or a module; `modelarts_contract = true` in the configuration
means all tests. A test fails if one of its exchanges through httpx breaks the contract, whatever the test itself says.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

if TYPE_CHECKING:  # what loads httpx is imported only where a test needs it
    from .exchange import Exchange

__all__ = ["modelarts_exchanges"]

MARKER = "modelarts_contract"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini(
        MARKER, "hold the exchanges of every test against the documents of ModelArts", type="bool", default=False
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", f"{MARKER}: the test's calls have to keep to the documents of ModelArts")


@pytest.fixture
def modelarts_exchanges() -> Generator[list[Exchange]]:
    """The test's exchanges with services that the documents describe, in their order."""
    from .documents import Documents
    from .recording import recorded

    documents = Documents()
    kept: list[Exchange] = []

    def keep(exchange: Exchange) -> None:
        if documents.find(exchange.method, urlsplit(exchange.url).path) is not None:
            kept.append(exchange)

    with recorded(keep):
        yield kept


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, None, None]:
    if is_checked(item) and isinstance(item, pytest.Function) and "modelarts_exchanges" not in item.fixturenames:
        item.fixturenames.insert(0, "modelarts_exchanges")  # before fixtures that make calls
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    yield
    if is_checked(item) and isinstance(item, pytest.Function):
        from .documents import Documents
        from .validation import findings

        documents = Documents()
        kept: list[Exchange] = item.funcargs.get("modelarts_exchanges", [])  # type: ignore[assignment]
        broken = [
            f"{exchange.method} {exchange.url} -> {exchange.status}: {finding.kind.value}: {finding.message}"
            for exchange in kept
            for finding in findings(exchange, documents)
            if finding.breaks_contract
        ]
        if broken:
            pytest.fail("calls break the contract:\n" + "\n".join(broken), pytrace=False)


def is_checked(item: pytest.Item) -> bool:
    return item.get_closest_marker(MARKER) is not None or bool(item.config.getini(MARKER))
