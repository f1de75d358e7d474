"""pytest: every exchange of a test is checked against the documents.

`@pytest.mark.modelarts_contract` marks a test, a class or a module; `modelarts_contract = true` in the configuration
means all tests. A test fails if one of its exchanges breaks the contract, whatever the test itself says: those of httpx
in this process, those that servers in this process have served to clients of any kind, and those through the proxy of
`modelarts_proxy`. Requests with undocumented fields, parameters or types are findings, whatever the service
responded; a test that means to send them says `@pytest.mark.modelarts_contract(rejections="allowed")`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeGuard
from urllib.parse import urlsplit

import pytest

if TYPE_CHECKING:  # what loads httpx is imported only where a test needs it
    from modelarts_contract.exchange import Exchange

__all__ = ["modelarts_exchanges", "modelarts_proxy"]

MARKER = "modelarts_contract"
SERVICES = pytest.StashKey[set[str]]()  # hosts, with their ports, that have served a documented operation in this run
CONTROL = "/_emulator/"  # calls that control the emulator are not calls of the API
AT_A_TIME = 40  # requests through a proxy


class Hooks:
    """What other plugins may implement."""

    @pytest.hookspec
    def pytest_modelarts_exchanges(self, item: pytest.Item) -> list[Mapping[str, Any]]:  # type: ignore[empty-body]
        """What a server in this process has served to the test, oldest first, as arguments of `Exchange`."""


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    pluginmanager.add_hookspecs(Hooks)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini(
        MARKER, "check the exchanges of every test against the documents of ModelArts", type="bool", default=False
    )


def pytest_configure(config: pytest.Config) -> None:
    text = f'{MARKER}(rejections="allowed"): the calls of the test have to keep to the documents of ModelArts'
    config.addinivalue_line("markers", text)


@pytest.fixture
def modelarts_exchanges(request: pytest.FixtureRequest) -> Generator[list[Exchange]]:
    """The test's exchanges with services that the documents describe, by httpx or a proxy, in their order.

    A host is such a service from its first call of a documented operation; calls of others are seen from then on.
    """
    from modelarts_contract.documents import Documents
    from modelarts_contract.recording import recorded

    documents = Documents()
    kept: list[Exchange] = []
    services = request.config.stash.setdefault(SERVICES, set())

    def keep(exchange: Exchange) -> None:
        address = urlsplit(exchange.url)
        if documents.describe(exchange.method, exchange.url):
            services.add(address.netloc)
        if address.netloc in services and not address.path.startswith(CONTROL):
            kept.append(exchange)

    with recorded(keep):
        yield kept


@pytest.fixture
def modelarts_proxy(modelarts_exchanges: list[Exchange]) -> Iterator[Callable[[str], str]]:
    """Gives, for the URL of a service, that of a recording proxy in front of it, for clients without httpx."""
    from modelarts_contract.proxy import serving
    from modelarts_contract.recording import keeping

    def proxy(url: str) -> str:
        return stack.enter_context(serving(url, keeping(url, modelarts_exchanges.append), at_a_time=AT_A_TIME))

    with contextlib.ExitStack() as stack:
        yield proxy


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, None, None]:
    if is_checked(item) and "modelarts_exchanges" not in item.fixturenames:
        item.fixturenames.insert(0, "modelarts_exchanges")  # before fixtures that make calls
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    yield
    if is_checked(item):
        from modelarts_contract.documents import Documents
        from modelarts_contract.rules.session import judged

        broken = [
            f"{exchange.method} {exchange.url} -> {exchange.status}: {finding.kind.value}: {finding.message}"
            for exchange, found in judged(
                exchanges_of(item), Documents(), rejected_requests=not allows_rejections(item)
            )
            for finding in found
            if finding.breaks_contract
        ]
        if broken:
            pytest.fail("calls break the contract:\n" + "\n".join(broken), pytrace=False)


def is_checked(item: pytest.Item) -> TypeGuard[pytest.Function]:
    is_marked = item.get_closest_marker(MARKER) is not None or bool(item.config.getini(MARKER))
    return is_marked and isinstance(item, pytest.Function)


def allows_rejections(item: pytest.Item) -> bool:
    """Whether the test means the requests that its service rejects; raises UsageError for another argument."""
    marker = item.get_closest_marker(MARKER)
    if marker is None:
        return False
    if marker.args or marker.kwargs not in ({}, {"rejections": "allowed"}):
        raise pytest.UsageError(f'{MARKER} takes no argument but rejections="allowed"')
    return bool(marker.kwargs)


def exchanges_of(item: pytest.Function) -> Iterable[Exchange]:
    """The exchanges of the test, each once, although a client and a server of this process may both have kept it."""
    from modelarts_contract.exchange import Exchange

    served = [Exchange(**each) for found in item.ihook.pytest_modelarts_exchanges(item=item) for each in found]
    kept: list[Exchange] = item.funcargs.get("modelarts_exchanges", [])  # type: ignore[assignment]
    each_once: dict[object, Exchange] = {}
    for exchange in [*served, *kept]:
        seen = (exchange.method, exchange.url, exchange.status, exchange.request_body)
        each_once[exchange.response_headers.get("x-request-id") or seen] = exchange
    return each_once.values()
