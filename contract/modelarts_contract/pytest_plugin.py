"""pytest: every exchange of a test is checked against the documents.

`@pytest.mark.modelarts_contract` marks a test, a class or a module; `modelarts_contract = true` in the configuration
means all tests. A test fails if one of its exchanges breaks the contract, whatever the test itself says: those of httpx
and requests in this process, those that the emulator of the test has served to clients of any kind, and those through
the proxy of `modelarts_proxy`. A test with the marker also fails if it has no exchange, because nothing was checked.
Requests with undocumented fields, parameters or types are findings, whatever the service responded.

Arguments of the marker: `rejections="allowed"` for a test that means to be rejected, `calls="optional"` for one that
may have no exchange, and for other services than the emulator `lag_s` and `deletion_s`.
"""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, TypeGuard
from urllib.parse import urlsplit

import pytest

if TYPE_CHECKING:  # what loads httpx is imported only where a test needs it
    from modelarts_contract.exchange import Exchange

__all__ = ["modelarts_exchanges", "modelarts_proxy"]

MARKER = "modelarts_contract"
WORDS = {"rejections": "allowed", "calls": "optional"}
TIMES = {"lag_s": "CONTRACT_LAG_S", "deletion_s": "CONTRACT_DELETION_S"}  # with the variable that sets another default
ENDPOINTS = ("MODELARTS_ENDPOINT", "MODELARTS_IAM_ENDPOINT")  # variables of the settings
CONTROL = "/_emulator/"  # calls that control the emulator are not calls of the API
PROXIES = pytest.StashKey[set[str]]()  # the hosts of the test's proxies
AT_A_TIME = 40  # requests through a proxy
NO_CALL = (
    f"the marker {MARKER} sees httpx and requests in this process, any client of the fixture "
    f'`emulator`, and any client through `modelarts_proxy`; {MARKER}(calls="optional") allows a test without calls'
)


class Hooks:
    """What other plugins may implement."""

    @pytest.hookspec
    def pytest_modelarts_exchanges(self, item: pytest.Item) -> list[Mapping[str, Any]]:  # type: ignore[empty-body]
        """What a server in this process has served to the test, oldest first, as arguments of `Exchange`."""

    @pytest.hookspec
    def pytest_modelarts_emulators(self, item: pytest.Item) -> list[str]:  # type: ignore[empty-body]
        """The URLs of the emulators of the test: what they show is never late."""


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    pluginmanager.add_hookspecs(Hooks)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini(
        MARKER, "check the exchanges of every test against the documents of ModelArts", type="bool", default=False
    )


def pytest_configure(config: pytest.Config) -> None:
    arguments = ", ".join([*(f'{name}="{word}"' for name, word in WORDS.items()), *(f"{name}=0" for name in TIMES)])
    text = f"{MARKER}({arguments}): the test makes calls, and they have to keep to the documents of ModelArts"
    config.addinivalue_line("markers", text)


@pytest.fixture
def modelarts_exchanges() -> Generator[list[Exchange]]:
    """The test's exchanges by httpx, requests or a proxy, with any host, in the order in which they were complete."""
    from modelarts_contract.recording import recorded

    kept: list[Exchange] = []
    with recorded(kept.append):
        yield kept


@pytest.fixture
def modelarts_proxy(request: pytest.FixtureRequest) -> Iterator[Callable[[str], str]]:
    """Gives, for the URL of a service, that of a proxy in front of it, for clients of any kind.

    The proxy sends requests on by httpx, and so they are seen; what httpx sends to the proxy itself does not count.
    """
    from modelarts_contract.proxy import serving

    request.getfixturevalue("modelarts_exchanges")

    def proxy(url: str) -> str:
        address = stack.enter_context(serving(url, lambda sent, forward: forward(sent), at_a_time=AT_A_TIME))
        request.node.stash.setdefault(PROXIES, set()).add(urlsplit(address).netloc)
        return address

    with contextlib.ExitStack() as stack:
        yield proxy


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, None, None]:
    if is_checked(item):
        if problem := problem_of_marker(item):
            pytest.fail(f"{MARKER}: {problem}", pytrace=False)
        if "modelarts_exchanges" not in item.fixturenames:
            item.fixturenames.insert(0, "modelarts_exchanges")  # before fixtures that make calls
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    yield
    if is_checked(item):
        urls = [url for found in item.ihook.pytest_modelarts_emulators(item=item) for url in found]
        emulators = {urlsplit(url).netloc for url in urls}
        exchanges = exchanges_of(item, emulators)
        if not exchanges and item.get_closest_marker(MARKER) and "calls" not in options_of(item):
            hosts = ", ".join(dict.fromkeys(urlsplit(each.url).netloc for each in kept_of(item)))
            seen = f" (calls were seen to {hosts}, none of a documented operation)" if hosts else ""
            pytest.fail(f"no call was checked{seen}: {NO_CALL}", pytrace=False)
        broken = broken_by(item, exchanges, emulators)
        if broken:
            (_, first), *others = broken
            more = f" (and {len(others)} more)" if others else ""
            text = "\n".join(f"{call}: {finding}" for call, finding in broken)
            pytest.fail(f"the contract is broken: {first}{more}\n{text}", pytrace=False)


def is_checked(item: pytest.Item) -> TypeGuard[pytest.Function]:
    is_marked = item.get_closest_marker(MARKER) is not None or bool(item.config.getini(MARKER))
    return is_marked and isinstance(item, pytest.Function)


def options_of(item: pytest.Item) -> dict[str, Any]:
    """The arguments of the test's markers, of which the nearest one counts, and the variables before them."""
    found: dict[str, Any] = {name: text for name, variable in TIMES.items() if (text := os.environ.get(variable))}
    for mark in reversed([*item.iter_markers(MARKER)]):
        found |= mark.kwargs
    return found


def problem_of_marker(item: pytest.Item) -> str:
    """What is wrong with the arguments of the markers; empty if they are right."""
    if any(mark.args for mark in item.iter_markers(MARKER)):
        return "its arguments have names"
    for name, given in options_of(item).items():
        if name in TIMES:
            if not is_time(given):
                return f"{name}={given!r} is not a number of seconds: {name} or {TIMES[name]} has to be one"
        elif given != WORDS.get(name):
            right = name if name in WORDS else next(iter(get_close_matches(name, [*WORDS, *TIMES], 1)), "")
            known = f'{right}="{WORDS[right]}"' if right in WORDS else " or ".join((*WORDS, *TIMES))
            return f"{name}={given!r} is unknown: use {known}"
    return ""


def is_time(given: object) -> bool:
    try:
        return 0 <= float(given) < math.inf  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return False


def kept_of(item: pytest.Function) -> list[Exchange]:
    """What the clients of the test have sent to services and received."""
    kept: list[Exchange] = item.funcargs.get("modelarts_exchanges", [])  # type: ignore[assignment]
    return [each for each in kept if urlsplit(each.url).netloc not in item.stash.get(PROXIES, set())]


def exchanges_of(item: pytest.Function, emulators: set[str]) -> list[Exchange]:
    """The test's exchanges with services that the documents describe, in the order of their requests.

    These services are the emulators, those of the settings, and those of which the test calls a documented operation.
    A client and a server of this process may both have kept an exchange: they have its X-Request-Id.
    """
    from modelarts_contract.documents import Documents
    from modelarts_contract.exchange import Exchange

    kept = kept_of(item)
    ids = {exchange.response_headers.get("x-request-id") for exchange in kept}
    served = [Exchange(**each) for found in item.ihook.pytest_modelarts_exchanges(item=item) for each in found]
    found = [*kept, *(each for each in served if each.response_headers.get("x-request-id") not in ids - {None})]
    documents = Documents()
    services = emulators | {urlsplit(os.environ.get(name, "")).netloc for name in ENDPOINTS}
    services |= {urlsplit(each.url).netloc for each in found if documents.describe(each.method, each.url)}
    addresses = [(each, urlsplit(each.url)) for each in sorted(found, key=lambda each: each.started_at)]
    return [each for each, at in addresses if at.netloc in services and not at.path.startswith(CONTROL)]


def broken_by(item: pytest.Item, exchanges: Sequence[Exchange], emulators: set[str]) -> list[tuple[str, str]]:
    """Each call that breaks the contract, with what was found."""
    from modelarts_contract.documents import Documents
    from modelarts_contract.rules.session import judged

    options = options_of(item)
    times = {name: float(options[name]) for name in TIMES if name in options}
    return [
        (f"{exchange.method} {exchange.url} -> {exchange.status}", f"{finding.kind.value}: {finding.message}")
        for exchange, found in judged(
            exchanges, Documents(), rejected_requests="rejections" not in options, never_late=emulators, **times
        )
        for finding in found
        if finding.breaks_contract
    ]
