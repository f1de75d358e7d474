"""The connection that operations use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, get_args
from urllib.parse import quote

import httpx

from modelarts_runtime.errors import ToolkitError
from modelarts_runtime.hiding import hide_in, remember, secrets_of
from modelarts_runtime.options import Call, Timeout, calls_of, recorded, with_options
from modelarts_runtime.per_loop import PerLoop
from modelarts_runtime.types import UNSET, OffsetUnit, Unset

__all__ = ["Call", "Client"]


class Client:
    """Where a service is and how to talk to it; opens its httpx clients on first use.

    `timeout` is in seconds or an `httpx.Timeout`.
    `httpx_args` go to `httpx.Client` and `httpx.AsyncClient` as they are: authentication, transports, hooks.
    `offset_unit` says what iterators over a search of training jobs count: pages, as documented, or records.
    Raises ValueError for another unit.
    """

    def __init__(
        self,
        base_url: str,
        *,
        headers: Mapping[str, str] | None = None,
        timeout: float | httpx.Timeout | None = 30.0,
        httpx_args: Mapping[str, Any] | None = None,
        offset_unit: OffsetUnit = "page",
    ) -> None:
        if offset_unit not in get_args(OffsetUnit):
            raise ValueError(f"offset_unit must be one of {get_args(OffsetUnit)}, not {offset_unit!r}")
        remember(*(secrets_of(headers) if headers else ()))
        self.base_url = base_url
        self.offset_unit: OffsetUnit = offset_unit
        self._prefix = base_url.rstrip("/")
        arguments = {"base_url": base_url, "headers": headers, "timeout": timeout, **(httpx_args or {})}
        self._sync = PerLoop(lambda: httpx.Client(**arguments))
        self._async = PerLoop(lambda: httpx.AsyncClient(**arguments))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_url!r})"

    def get_httpx_client(self) -> httpx.Client:
        """The client of the synchronous calls of this process; a forked child has its own."""
        return self._sync.of_process()

    def get_async_httpx_client(self) -> httpx.AsyncClient:
        """The client of the asynchronous calls of the event loop that runs; each has its own."""
        return self._async.of_loop()

    def learn_offset_unit(self, unit: OffsetUnit) -> None:
        """Use this unit from now on; iterators call it when pages show that the other one is wrong."""
        self.offset_unit = unit

    def options(self, *, timeout: Timeout | Unset = UNSET, headers: Mapping[str, str] | None = None) -> Call:
        """Options of the calls in a block, and their responses: `with client.options(timeout=5) as call: ...`.

        They apply to every request of this client that is sent within the block: operations, and the pages of
        iterators that are asked for in it. `call.response` is the last response, `call.request_id` its id.
        `timeout` replaces the client's: seconds that each wait for the network may take, or None for no limit.
        `headers` are added to the client's; those that logins and bodies need are rejected.
        In nested blocks the inner one wins, and headers of both are sent. A task that begins within the block has
        its options; a thread has them if it runs in a copy of the context (`asyncio.to_thread`, `contextvars`).
        Raises TypeError or ValueError for an option that is not valid.
        """
        return Call([self], timeout=timeout, headers=headers)

    def request(self, method: str, url: str, **arguments: Any) -> httpx.Response:
        """Send a request to a path of the service; `arguments` are those of `httpx.Client.request`.

        Raises `httpx.TransportError` where no response comes; its traceback begins here.
        """
        calls = calls_of(self)
        try:
            # With the whole address httpx parses it once, with a path and its own `base_url` twice.
            arguments = with_options(calls, arguments)
            return recorded(calls, self.get_httpx_client().request(method, self._prefix + url, **arguments))
        except (httpx.TransportError, ToolkitError) as error:
            error.__traceback__ = None  # 20 lines of the HTTP library say nothing about the call
            hide_in(error)
            raise

    async def request_async(self, method: str, url: str, **arguments: Any) -> httpx.Response:
        """As `request`."""
        calls = calls_of(self)
        try:
            arguments = with_options(calls, arguments)
            client = self.get_async_httpx_client()
            return recorded(calls, await client.request(method, self._prefix + url, **arguments))
        except (httpx.TransportError, ToolkitError) as error:
            error.__traceback__ = None
            hide_in(error)
            raise

    def close(self) -> None:
        """Close the connections of the synchronous calls."""
        for client in self._sync.made(is_async=False):
            client.close()

    async def aclose(self) -> None:
        """Close the connections of the asynchronous calls of this event loop."""
        for client in self._async.made(is_async=True):
            await client.aclose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


def segment(name: str, value: object) -> str:
    """The value as one segment of a path.

    Raises ValueError for a value that would make the path that of another resource.
    """
    text = "" if value is None or isinstance(value, Unset) else str(value)
    if isinstance(value, bool):
        text = text.lower()
    if text in ("", ".", ".."):
        raise ValueError(f"{name}={value!r} cannot be part of a path; give the identifier of one resource")
    return quote(text, safe="")
