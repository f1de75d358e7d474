"""The transports of the HTTP client: retries, buffered responses, proxies, TLS.

From the outside in: `ErrorMappingTransport` (one error for "no response") > httpx-retries > `BufferedTransport` (an
incomplete response counts as none) > httpx's own transport.
"""

import os
import re
import ssl
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from functools import cache
from importlib.util import find_spec
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx
from httpx_retries import RetryTransport

from modelarts_runtime.hiding import hide, hide_in, secrets_of
from modelarts_runtime.per_loop import PerLoop
from modelarts_toolkit.errors import ApiError, ConfigError, ConnectionFailed, NotFound
from modelarts_toolkit.http import redaction
from modelarts_toolkit.http.deadlines import remaining_s
from modelarts_toolkit.http.retries import MAY_BE_DONE, LoggedRetry, retry_for
from modelarts_toolkit.install import install_command
from modelarts_toolkit.settings.config import Config
from modelarts_toolkit.urls import NO_EMULATOR, checked_proxy, is_loopback
from modelarts_toolkit.version import VERSION

# Seconds. Responses are small; a service that is silent for longer than this has lost the request.
CONNECT_TIMEOUT_S = 10.0
TIMEOUT = httpx.Timeout(30.0, connect=CONNECT_TIMEOUT_S)

DATE_ERROR_S = 2.0  # the Date header has whole seconds, and a response takes time

Verify: TypeAlias = ssl.SSLContext | bool  # which certificates to trust: those of a context; False: any

PROXY = r" through the proxy \S+ \(\w+\)"  # in the message of a request that was sent through one
CERTIFICATE_REMEDY = "name the file of the authority that signed it in MODELARTS_CA_BUNDLE (ca_bundle)"
USER_AGENT = f"modelarts-toolkit/{VERSION}"  # of every request
_HTTPX = "python-httpx/"  # the name that the library gives to requests that have none
_PHASES = ("connect", "read", "write", "pool")  # of httpx's timeouts

redaction.install()


class BufferedTransport(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """Reads the body before it returns the response, so that a connection that is lost half-way is also retried.

    A body that is not in the encoding that the response names (gzip, deflate) counts as a lost one.
    `make` opens one of httpx's own class, for each process and event loop its own.
    `listen` gets every response, before its body is read, and the host.
    """

    def __init__(self, make: Callable[[type[Any]], Any], listen: Callable[[httpx.Response, bytes], None]) -> None:
        self._sync: PerLoop[httpx.BaseTransport] = PerLoop(lambda: make(httpx.HTTPTransport))
        self._async: PerLoop[httpx.AsyncBaseTransport] = PerLoop(lambda: make(httpx.AsyncHTTPTransport))
        self._listen = listen

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        response = self._sync.of_process().handle_request(request)
        self._listen(response, request.url.netloc)
        stream = response.stream
        try:
            response.stream = _checked(response, b"".join(stream))  # type: ignore[arg-type]
        finally:
            stream.close()  # type: ignore[union-attr]
        return response

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        response = await self._async.of_loop().handle_async_request(request)
        self._listen(response, request.url.netloc)
        stream = response.stream
        try:
            response.stream = _checked(response, b"".join([part async for part in stream]))  # type: ignore[union-attr]
        finally:
            await stream.aclose()  # type: ignore[union-attr]
        return response

    def close(self) -> None:
        for inner in self._sync.made(is_async=False):
            inner.close()

    async def aclose(self) -> None:
        for inner in self._async.made(is_async=True):
            await inner.aclose()


def _checked(response: httpx.Response, body: bytes) -> httpx.ByteStream:
    """Return the body; raises RemoteProtocolError if httpx would not be able to decode it."""
    stream = httpx.ByteStream(body)
    if "content-encoding" in response.headers:
        try:
            httpx.Response(response.status_code, headers=response.headers, stream=stream).read()
        except httpx.DecodingError as error:
            encoding = response.headers["content-encoding"]
            raise httpx.RemoteProtocolError(f"the body is not {encoding}: {error}") from error
    return stream


class ErrorMappingTransport(RetryTransport):
    """Retries requests by their policy, and raises ConnectionFailed without a response.

    `retries` is the maximum for one request, by default that of its policy. `proxy` is that of `inner`, and its name.
    """

    def __init__(
        self, inner: "BufferedTransport", retries: int | None = None, proxy: tuple[str, str] | None = None
    ) -> None:
        super().__init__(inner)
        self._retries = retries
        self._proxy = proxy

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        _prepare(request, self._retries)
        try:
            return _settled(request, super().handle_request(request))
        except httpx.TransportError as error:
            raise _failure(request, error, self._proxy) from None

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        _prepare(request, self._retries)
        try:
            return _settled(request, await super().handle_async_request(request))
        except httpx.TransportError as error:
            raise _failure(request, error, self._proxy) from None


def _prepare(request: httpx.Request, retries: int | None = None) -> None:
    """Set the request's User-Agent and retries, and shorten its timeouts to its deadline."""
    if request.headers.get("User-Agent", _HTTPX).startswith(_HTTPX):
        request.headers["User-Agent"] = USER_AGENT
    policy = request.extensions.setdefault("retry", retry_for(request))
    if isinstance(policy, LoggedRetry):
        request.extensions["retry"] = policy.bound_to(request, retries)
    if (limit_s := remaining_s()) is not None:
        limits = request.extensions.get("timeout", {})
        shortened = {name: limit_s if limits.get(name) is None else min(limits[name], limit_s) for name in _PHASES}
        request.extensions["timeout"] = shortened


def _settled(request: httpx.Request, response: httpx.Response) -> httpx.Response:
    """Return the response; "not found" to a deletion that an earlier attempt may have done is a success."""
    if request.method != "DELETE" or MAY_BE_DONE not in request.extensions or response.is_success:
        return response
    response.read()
    response.request = request
    if not isinstance(ApiError.from_response(response), NotFound):
        return response
    headers = {name: value for name, value in response.headers.items() if name == "x-request-id"}
    return httpx.Response(200, headers=headers, json={"is_success": True})  # as version 1 acknowledges it


@dataclass(slots=True)
class Network:
    """The transports of one connection: one for each proxy, shared by all clients, which close them.

    `inner` replaces the transports that open connections. Proxy, certificates and retries are those of the settings;
    `verify` replaces the certificates (False trusts every server).
    `date` is the newest Date header; None if the service has not sent its time.
    `seconds_ahead` is by how much the service's clock is ahead of ours (± 2 s); 0 as long as its dates agree with that.
    """

    inner: httpx.BaseTransport | httpx.AsyncBaseTransport | None = None
    config: Config = field(default_factory=Config)
    verify: Verify = True
    user_agent: str = USER_AGENT
    seconds_ahead: float = 0.0
    date: datetime | None = None
    _stacks: dict[tuple[str | None, bool], ErrorMappingTransport] = field(default_factory=dict)
    _hosts: set[bytes] = field(default_factory=set)

    def arguments(self, *endpoints: str) -> dict[str, Any]:
        """Return the arguments of `httpx.Client` for these endpoints; the first is the default."""
        self._hosts |= {httpx.URL(url).netloc for url in endpoints}
        mounts = {f"all://{urlsplit(url).netloc}": self.transport(url) for url in endpoints}
        found = {"transport": self.transport(endpoints[0]), "mounts": mounts if len(self._stacks) > 1 else None}
        return {**found, "headers": {"User-Agent": self.user_agent}}

    def listen(self, response: httpx.Response, host: bytes | None = None) -> None:
        """Learn the service's time from the Date header of a response; object storage may have another clock."""
        if host is not None and host not in self._hosts:
            return
        with suppress(LookupError, ValueError, OverflowError):
            self.date = parsedate_to_datetime(response.headers["date"])
            ahead = self.date.timestamp() - time.time()
            if not ahead <= self.seconds_ahead <= ahead + DATE_ERROR_S:
                self.seconds_ahead = ahead

    @property
    def time(self) -> datetime:
        """The time by the service's clock."""
        return datetime.now(UTC) + timedelta(seconds=self.seconds_ahead)

    def transport(self, url: str) -> ErrorMappingTransport:
        """Return the transport for this address."""
        config = self.config
        found, is_https = named_proxy(url, config.proxy), url.startswith("https:")
        proxy = found and found[0]
        if (proxy, is_https) not in self._stacks:
            trusted = tls_context(is_https=is_https, ca_bundle=config.ca_bundle, verify=self.verify)
            buffered = BufferedTransport(lambda kind: self.inner or kind(proxy=proxy, verify=trusted), self.listen)
            self._stacks[proxy, is_https] = ErrorMappingTransport(buffered, config.retries, found)
        return self._stacks[proxy, is_https]


def tls_context(*, is_https: bool, ca_bundle: str | None = None, verify: Verify = True) -> ssl.SSLContext:
    """Return the TLS settings of connections: `verify` itself if it is one, else those for it.

    False trusts every server. For plain HTTP the settings trust no certificate, because loading them takes some 50 ms;
    the file `ca_bundle`, `SSL_CERT_FILE` or `SSL_CERT_DIR` replaces the usual ones.
    Raises ConfigError if the file cannot be read.
    """
    if isinstance(verify, ssl.SSLContext):
        return verify
    used = ("ca_bundle", ca_bundle), *((name, os.environ.get(name)) for name in ("SSL_CERT_FILE", "SSL_CERT_DIR"))
    name, path = next(((name, path) for name, path in used if path), ("", None))
    is_loaded = is_https or not verify
    try:
        if is_loaded and verify and name == "SSL_CERT_DIR":
            Path(str(path)).stat()  # the library takes a folder that is missing for an empty one
        return _tls_context(verify, is_loaded, ca_bundle if verify else None, path)
    except OSError as error:  # also ssl.SSLError
        reason = error.strerror or error
        raise ConfigError(f"{name} {path} cannot be used: {reason}: correct the path, or unset it") from error


@cache
def _tls_context(verify: bool, is_loaded: bool, ca_bundle: str | None, _path: str | None) -> ssl.SSLContext:
    if not is_loaded:
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if ca_bundle is not None:
        return ssl.create_default_context(cafile=ca_bundle)
    return httpx.create_ssl_context(verify=verify)  # reads both variables


def _failure(request: httpx.Request, error: httpx.TransportError, proxy: tuple[str, str] | None) -> ConnectionFailed:
    """Return our error; the error of the HTTP library stays its `__context__`."""
    hide_in(error)
    place = f"{request.url.scheme}://{request.url.netloc.decode()}"
    if proxy is not None:
        address = urlsplit(proxy[0])
        place += f" through the proxy {address.scheme}://{address.netloc.rpartition('@')[2]} ({proxy[1]})"
    reason = hide(str(error) or type(error).__name__, secrets_of(request.headers))
    call = f"{request.method} {request.url.path}"
    if rejected_certificate(reason):
        remedy = CERTIFICATE_REMEDY
    elif isinstance(error, httpx.ConnectError | httpx.ConnectTimeout) and proxy:
        remedy = "is the proxy running, and is this its address?"
    elif isinstance(error, httpx.LocalProtocolError):
        remedy = "correct the header, or the login that makes it"
    elif isinstance(error, httpx.ProxyError):
        remedy = "correct the proxy, its user or its password"
    elif isinstance(error, httpx.ConnectError) and is_loopback(request.url.host):
        remedy = NO_EMULATOR
    elif isinstance(error, httpx.ConnectError):
        remedy = "is the service running, and is this its address?"
    else:
        remedy = "try again"
    return ConnectionFailed(f"no response from {place} ({reason}): {remedy} ({call})")


def rejected_certificate(text: str) -> str:
    """What an error of a connection, of httpx or of obstore, says about a certificate; "" if nothing."""
    found = re.search(
        r"certificate verify failed: ([^(\n]+)|InvalidCertificate\(\s*((?:Other(?:Error)?\(\s*)*\w+)", text
    )
    return "" if found is None else (found[1] or found[2].rpartition("(")[2]).strip()


def named_proxy(url: str, configured: str | None = None) -> tuple[str, str] | None:
    """The proxy that is configured, or that the environment asks for, and the setting or the variable that names it.

    None without one, and for this machine itself. Raises ConfigError for one that cannot be used.
    """
    parts = urlsplit(url)
    if is_loopback(host := parts.hostname or ""):
        return None
    name, proxy = "proxy", configured
    if not configured:
        proxies = getproxies()
        if _is_direct(host, parts.port or _PORTS.get(parts.scheme), proxies.get("no", "")):
            return None
        if proxy_bypass(parts.netloc.rpartition("@")[2]):  # what the system's settings say
            return None
        kind = next((kind for kind in (parts.scheme, "all") if proxies.get(kind)), "")
        name, proxy = f"{kind}_proxy", proxies.get(kind)
        name = name if name in os.environ else name.upper()
    if not proxy:
        return None
    proxy = checked_proxy(name, proxy)
    if proxy.startswith("socks") and find_spec("socksio") is None:
        raise ConfigError(f"{name} is a SOCKS proxy, which needs one more library: {install_command('socks')}")
    return proxy, name


_PORTS = {"http": 80, "https": 443}


def _is_direct(host: str, port: int | None, no_proxy: str) -> bool:
    """Whether NO_PROXY has the host: itself, a domain (`example`, `.example`, `*.example`) or a network, with its port.

    `*` is every host. Networks are written as `10.0.0.0/8`.
    """
    for entry in filter(None, re.split(r"[\s,]+", no_proxy.lower())):
        found = re.fullmatch(r"\[(.+)\](?::(\d+))?|([^:]+):(\d+)", entry)
        name, wanted = (found[1] or found[3], found[2] or found[4]) if found else (entry, None)
        name = name.lstrip("*").lstrip(".")
        if wanted and int(wanted) != port:
            continue
        if not name or host == name or host.endswith(f".{name}"):
            return True
        with suppress(ValueError):  # names of hosts
            if ip_address(host) in ip_network(name, strict=False):
                return True
    return False
