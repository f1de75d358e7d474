"""Addresses of buckets, connections of obstore, and remedies for its errors."""

import asyncio
import re
import ssl
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar
from urllib.parse import urlsplit
from urllib.request import getproxies

from modelarts_runtime.hiding import hide, hide_in
from modelarts_toolkit.errors import ConfigError, ObsError
from modelarts_toolkit.http.transport import (
    CERTIFICATE_REMEDY,
    CONNECT_TIMEOUT_S,
    PROXY,
    USER_AGENT,
    Verify,
    named_proxy,
    rejected_certificate,
    tls_context,
)
from modelarts_toolkit.install import install_command
from modelarts_toolkit.own_files import own_table
from modelarts_toolkit.settings.config import Config
from modelarts_toolkit.urls import NO_EMULATOR, is_loopback

if TYPE_CHECKING:
    from obstore.store import ClientConfig, S3Credential, S3Store

T = TypeVar("T")

# Old buckets of some stores also have capital letters and underscores.
_BUCKET = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
NOT_TEXT = re.compile(r"[\ud800-\udfff]")  # bytes of a file's name that are not UTF-8, as Python decodes them

READ_TIMEOUT_S = 60.0  # without data, unless the settings have a timeout
PAUSES_S = (0.1, 0.3, 1.0, 3.0)  # between attempts

# In obstore's error: the response broke off, or the upload was completed by an attempt whose response was lost.
_LOST_RESPONSE = ("response body", "NoSuchUpload")

# By code of an S3 error.
_REMEDIES: Mapping[str, str] = own_table(__package__, "remedies.json")


class Location(NamedTuple):
    """A bucket and a key; a key that is empty or ends in `/` is a folder. No bucket means all of object storage."""

    bucket: str
    key: str

    @classmethod
    def parse(cls, url: str) -> "Location":
        """Parse a URL; raises ObsError for anything but `obs://bucket/key` and `/bucket/key`.

        The name of the bucket becomes part of a host's name or of a path, so it has no character that means more there.
        """
        path = url.removeprefix("obs://") if url.startswith("obs://") else url[1:] if url.startswith("/") else ""
        bucket, _, key = path.partition("/")
        if not bucket or "//" in key or key.startswith("/") or {".", ".."} & set(key.split("/")):
            raise ObsError(f"{_quoted(url)} is not an OBS path: write obs://bucket/key or /bucket/key", url=url)
        if not _BUCKET.fullmatch(bucket):
            rule = "use letters, digits, hyphens and dots, and start with a letter or a digit"
            raise ObsError(f"{_quoted(bucket)} is not the name of a bucket: {rule}", url=url)
        if NOT_TEXT.search(key):
            raise ObsError(f"{_quoted(url)} is not an OBS path: its key is not UTF-8", url=url)
        return cls(bucket, key)

    @property
    def is_folder(self) -> bool:
        return not self.key or self.key.endswith("/")

    def __str__(self) -> str:
        return f"obs://{self.bucket}/{self.key}" if self.bucket else "obs://"


class Address(NamedTuple):
    """The base URL of a bucket; a virtual host has the bucket in the host name, other URLs have it in the path.

    Without a bucket it is the URL of the service.
    """

    url: str
    region: str
    is_virtual_host: bool


def address(config: Config, bucket: str) -> Address:
    """Return the address: OBS (obs.<region>.<domain>) needs the bucket in the host name, other stores in the path."""
    endpoint = str(config.obs_endpoint)
    parts = urlsplit(endpoint)
    host = parts.hostname or ""
    if host.startswith("obs."):
        url = f"{parts.scheme}://{bucket}.{parts.netloc}{parts.path}" if bucket else endpoint
        return Address(url, config.region or host.split(".")[1], True)
    return Address(endpoint, config.region or "us-east-1", False)


def _quoted(text: str) -> str:
    """Return the text in quotes, with escapes for what a terminal or a log must not get."""
    return f'"{text}"' if text.isprintable() else repr(text)


async def retry_lost_responses(call: Callable[[], Awaitable[T]]) -> T:
    """Repeat an idempotent call if obstore gives up after a lost response."""
    from obstore.exceptions import GenericError

    for pause_s in PAUSES_S:
        try:
            return await call()
        except (GenericError, FileNotFoundError) as error:
            if not any(sign in str(error) for sign in _LOST_RESPONSE):
                raise
        await asyncio.sleep(pause_s)
    return await call()


@contextmanager
def translate_errors(place: Location, endpoint: str | None) -> Iterator[None]:
    """Raise ObsError, with one sentence about the place, for any error of obstore."""
    from obstore.exceptions import BaseError

    try:
        yield
    except (BaseError, FileNotFoundError, PermissionError) as error:
        if isinstance(error, OSError) and error.errno is not None:  # of a local file
            raise
        hide_in(error)
        raise ObsError(reason(place, endpoint, str(error)), url=str(place)) from error


def connect(config: Config, bucket: str, verify: Verify = True) -> "S3Store":
    try:
        from obstore.store import S3Store
    except ModuleNotFoundError as error:
        raise ConfigError(f"object storage needs one more library: {install_command('obs')}") from error

    def credential() -> "S3Credential":
        return {
            "access_key_id": str(config.access_key),
            "secret_access_key": str(config.secret_key),
            "token": config.security_token,
            "expires_at": None,
        }

    url, region, is_virtual_host = address(config, bucket)
    return S3Store(
        bucket,
        # obstore reads AWS_* variables: both names of the endpoint, and a provider of the credentials, to which it adds
        # no AWS_SESSION_TOKEN, keep it to our settings.
        config={
            "aws_endpoint_url_s3": url,
            "endpoint": url,
            "region": region,
            "virtual_hosted_style_request": is_virtual_host,
        },
        credential_provider=credential,
        client_options={
            **_proxy(url, config.proxy),
            **_certificates(config, verify),
            "allow_http": url.startswith("http:"),
            "connect_timeout": timedelta(seconds=min(CONNECT_TIMEOUT_S, config.timeout_s or CONNECT_TIMEOUT_S)),
            "read_timeout": timedelta(seconds=config.timeout_s or READ_TIMEOUT_S),
            "user_agent": USER_AGENT,
            "timeout": timedelta(days=1),  # of a whole download; a silent connection ends by read_timeout
        },
        retry_config={"max_retries": 4, "retry_timeout": timedelta(seconds=60)},
    )


def _certificates(config: Config, verify: Verify) -> "ClientConfig":
    if isinstance(verify, ssl.SSLContext):
        trusted = "".join(map(ssl.DER_cert_to_PEM_cert, verify.get_ca_certs(binary_form=True)))
        is_careless = verify.verify_mode == ssl.CERT_NONE
        return {
            "allow_invalid_certificates": is_careless,
            **({"root_certificate": trusted.encode()} if trusted else {}),
        }
    if not verify:
        return {"allow_invalid_certificates": True}
    is_needed = config.ca_bundle is not None or str(config.obs_endpoint).startswith("https:")
    tls_context(is_https=is_needed, ca_bundle=config.ca_bundle)  # raises ConfigError for files that are missing
    return {} if config.ca_bundle is None else {"root_certificate": Path(config.ca_bundle).read_bytes()}


def _proxy(url: str, configured: str | None) -> "ClientConfig":
    """Apply the proxy rule of our other calls, because obstore's makes no exception for this machine."""
    if not configured and not getproxies():
        return {}
    if found := named_proxy(url, configured):
        if found[0].startswith("socks"):
            raise ConfigError(f"object storage cannot be reached through a SOCKS proxy ({found[1]}): name one of HTTP")
        return {"proxy_url": found[0]}
    host = urlsplit(url).hostname or ""
    return {"proxy_url": "http://127.0.0.1:9", "proxy_excludes": host}  # a proxy that no request uses


def reason(place: Location, endpoint: str | None, text: str) -> str:
    """Return one sentence for the text of an error, in which obstore nests the store's response."""
    text = hide(text)  # before it is cut
    if "NoSuchBucket" in text:
        return f'bucket "{place.bucket}" does not exist at {endpoint}: create it: modelarts obs mb {place.bucket}'
    for code, words in _REMEDIES.items():
        if code in text:
            return f"{place}: {words}"
    if "NoSuchKey" in text or "not found" in text.lower():
        return f"object {place} does not exist: upload it first, or correct the path"
    if cause := rejected_certificate(text):
        return f"the certificate of {endpoint} was rejected ({cause}): {CERTIFICATE_REMEDY}"
    if "error sending request" in text or "Connect" in text:
        if is_loopback(urlsplit(endpoint or "").hostname or ""):
            return f"no response from object storage at {endpoint}: {NO_EMULATOR}"
        proxy = re.search(PROXY, text)  # of an error of `http.transport`
        what = "is the proxy running, and is this its address?" if proxy else "is it running, and is this its address?"
        return f"no response from object storage at {endpoint}{proxy[0] if proxy else ''}: {what}"
    return f"{place}: object storage rejected the request: {text.splitlines()[0][:300]}"
