"""URLs of services: the form in which they are compared, and what is wrong with others."""

import re
from ipaddress import ip_address
from urllib.parse import unquote, urlsplit

import httpx

from modelarts_runtime.hiding import remember
from modelarts_toolkit.errors import ConfigError

NO_EMULATOR = """start the emulator with: modelarts emulator; \
if it runs, its address is another one by now: eval "$(modelarts emulator env)" sets it"""


def is_loopback(host: str) -> bool:
    """Whether the host is this machine."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def is_same_service(url: str, other: str) -> bool:
    """Whether both URLs lead to the same server; localhost is any name of this machine."""
    parts = [urlsplit(each) for each in (url, other)]
    hosts = {each.hostname or "" for each in parts}
    is_local = "localhost" in hosts and all(map(is_loopback, hosts))
    return (len(hosts) == 1 or is_local) and len(
        {(each.scheme, each.port, each.path.rstrip("/")) for each in parts}
    ) == 1


def plain_url(url: str) -> str:
    """The URL in the form in which two can be compared; OS_AUTH_URL usually ends in /v3."""
    return url.rstrip("/").removesuffix("/v3").rstrip("/")


def checked_url(name: str, url: str | None) -> str | None:
    if url is None:
        return None
    if "@" in url or "?" in url or "#" in url:
        raise ConfigError(f"{name} must be scheme, host, port and path only: leave out user, password and query")
    if not _is_url(url):
        raise ConfigError(f"{name} is not a URL: {url!r} (write it as https://HOST or https://HOST:PORT)")
    return plain_url(url) if name == "iam_endpoint" else url.rstrip("/")


_PROXY_SCHEMES = ("http", "https", "socks5", "socks5h")


def checked_proxy(name: str, url: str) -> str:
    """The URL of a proxy, with `http` by default; raises ConfigError, without the URL, for one that cannot be used."""
    scheme, _, rest = url.strip().rpartition("://")
    user, _, place = rest.rpartition("@")
    remember(user, unquote(user), user.partition(":")[2], unquote(user.partition(":")[2]))
    scheme = {"": "http", "socks": "socks5"}.get(scheme.lower(), scheme.lower())  # GNOME writes socks://
    if scheme not in _PROXY_SCHEMES:
        raise ConfigError(f"{name} must start with one of {', '.join(f'{each}://' for each in _PROXY_SCHEMES)}")
    if not _is_url(f"http://{place}") or re.search(r"[?#/]", f"{user}{place.removesuffix('/')}"):
        raise ConfigError(f"{name} is not the URL of a proxy: write it as http://[USER:PASSWORD@]HOST:PORT")
    return f"{scheme}://{rest}"


def _is_url(url: str) -> bool:
    try:
        parts, _ = urlsplit(url), httpx.URL(url)
        has_port = parts.port is None or parts.port > 0  # raises ValueError above 65535
    except (ValueError, httpx.InvalidURL):
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname) and has_port and not re.search(r"[\s\\]", url)
