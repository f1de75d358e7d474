"""How to reach a bucket of an S3-compatible service: its address, its credentials, its errors."""

from __future__ import annotations

import contextlib
import io
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any, BinaryIO
from urllib.parse import parse_qsl, urlencode, urlsplit
from urllib.request import getproxies, proxy_bypass

from obstore.exceptions import (
    AlreadyExistsError,
    BaseError,
    PermissionDeniedError,
    PreconditionError,
    UnauthenticatedError,
)
from obstore.store import S3Store

from modelarts_emulator.storage.errors import AccessDenied, PreconditionFailed, ServiceUnavailable, StoreError
from modelarts_emulator.storage.names import CREDENTIAL_VARIABLES

if TYPE_CHECKING:
    from obstore.store import ClientConfig, S3Credential

ACCESS_KEY, SECRET_KEY, SECURITY_TOKEN = CREDENTIAL_VARIABLES

_CODE = re.compile(r"<Code>(\w+)</Code>")
_FORBIDDEN = re.compile(r"\b40[13] (Unauthorized|Forbidden)")
_DENIED = (PermissionDeniedError, UnauthenticatedError, PermissionError)


@dataclass(frozen=True, slots=True)
class Remote:
    """A prefix (perhaps empty) of a bucket; the URL, which names no credentials, has the form of `parse`."""

    bucket: str
    prefix: str
    endpoint: str
    region: str
    access_key: str
    secret_key: str = field(repr=False)
    security_token: str | None = field(repr=False)

    @classmethod
    def parse(cls, url: str, environ: Mapping[str, str] = os.environ) -> Remote:
        """Read `s3://bucket/prefix?endpoint=https://host[&region=...]`, and the credentials from the environment.

        Raises ValueError, saying what is missing.
        """
        parts = urlsplit(url)
        options = dict(parse_qsl(parts.query))
        endpoint = options.pop("endpoint", "").rstrip("/")
        region = options.pop("region", "")
        name = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
        if parts.scheme != "s3" or not parts.netloc or "@" in parts.netloc or options:
            raise ValueError(f"{name!r} does not name a bucket: use s3://bucket/prefix")
        if urlsplit(endpoint).scheme not in ("http", "https") or not urlsplit(endpoint).hostname:
            raise ValueError(f"{name} needs the address of its service, https://HOST: give it with --objects-endpoint")
        missing = [variable for variable in (ACCESS_KEY, SECRET_KEY) if not environ.get(variable)]
        if missing:
            raise ValueError(f"{name} needs credentials: set {' and '.join(missing)}")
        host = urlsplit(endpoint).hostname or ""
        return cls(
            parts.netloc,
            parts.path.strip("/"),
            endpoint,
            region or (host.split(".")[1] if host.startswith("obs.") else "us-east-1"),
            environ[ACCESS_KEY],
            environ[SECRET_KEY],
            environ.get(SECURITY_TOKEN) or None,
        )

    def __str__(self) -> str:
        return f"s3://{self.bucket}/{self.prefix}"

    @property
    def url(self) -> str:
        """What `parse` makes this of again, with the same credentials in the environment."""
        return f"{self}?{urlencode({'endpoint': self.endpoint, 'region': self.region})}"

    def client(self) -> S3Store:
        """Return a client that takes nothing from `AWS_*` variables."""
        parts = urlsplit(self.endpoint)
        host = parts.hostname or ""
        # OBS itself takes the bucket in the host name, an IP address or any other service in the path.
        in_host = host.startswith("obs.")
        address = f"{parts.scheme}://{self.bucket}.{parts.netloc}{parts.path}" if in_host else self.endpoint

        def credential() -> S3Credential:
            return {
                "access_key_id": self.access_key,
                "secret_access_key": self.secret_key,
                "token": self.security_token,
                "expires_at": None,
            }

        return S3Store(
            self.bucket,
            config={
                "aws_endpoint_url_s3": address,
                "endpoint": address,
                "region": self.region,
                "virtual_hosted_style_request": in_host,
                "conditional_put": "etag",
            },
            credential_provider=credential,
            client_options={
                **_proxy(host),
                "allow_http": address.startswith("http:"),
                "connect_timeout": timedelta(seconds=5),
                "read_timeout": timedelta(seconds=60),
                "timeout": timedelta(days=1),  # of a whole transfer; a silent connection ends by read_timeout
            },
            retry_config={"max_retries": 3, "retry_timeout": timedelta(seconds=20)},
        )


def _proxy(host: str) -> ClientConfig:
    """The library knows no exceptions from a proxy: exclude the hosts that the system's rules exclude."""
    if getproxies() and proxy_bypass(host):
        return {"proxy_url": "http://127.0.0.1:9", "proxy_excludes": host}
    return {}


@contextlib.contextmanager
def translate_errors(remote: Remote) -> Iterator[None]:
    """Raise StoreError, in one sentence without the library's details; FileNotFoundError of an object passes."""
    try:
        yield
    except (PreconditionError, AlreadyExistsError):
        raise PreconditionFailed("the object is not in the state that the request demands") from None
    except (BaseError, FileNotFoundError, PermissionError) as error:
        if isinstance(error, OSError) and error.errno is not None:  # of a local file
            raise
        text = str(error)
        code = match[1] if (match := _CODE.search(text)) else None
        if code == "NoSuchBucket":
            message = f"bucket {remote.bucket} does not exist at {remote.endpoint}: create it first"
            raise StoreError("InternalError", message) from None
        if isinstance(error, FileNotFoundError):
            raise
        if isinstance(error, _DENIED) or _FORBIDDEN.search(text):
            raise AccessDenied(
                f"{remote} at {remote.endpoint} rejects the credentials ({code or 'access denied'}): check {ACCESS_KEY}"
                f" and {SECRET_KEY}, and that their user may list, read, write and delete there"
            ) from None
        reason = f"it responds {code}" if code else "no usable response"
        raise ServiceUnavailable(
            f"{remote} at {remote.endpoint} cannot be used ({reason}): check the address, the network and the service"
        ) from None


class ObjectStream(io.RawIOBase):
    """The bytes of a remote object; a `seek` elsewhere asks the service for the rest of the object from there on.

    `reopen` takes an offset, and raises PreconditionFailed if the object was replaced meanwhile.
    """

    def __init__(
        self, remote: Remote, size: int, chunks: Iterable[bytes], reopen: Callable[[int], Iterable[bytes]]
    ) -> None:
        self._remote = remote
        self._size = size
        self._reopen = reopen
        self._chunks: Iterator[bytes] | None = iter(chunks)
        self._chunk = memoryview(b"")
        self._position = 0

    def buffered(self) -> BinaryIO:
        """Return the stream with a buffer, so that small reads are cheap."""
        return io.BufferedReader(self, 1 << 18)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Move to an offset."""
        target = offset + {os.SEEK_SET: 0, os.SEEK_CUR: self._position, os.SEEK_END: self._size}[whence]
        if target != self._position:
            self._position, self._chunk, self._chunks = target, memoryview(b""), None
        return target

    def readinto(self, buffer: Any) -> int:
        """Read at most as many bytes as the buffer has."""
        if self._position >= self._size:
            return 0
        with translate_errors(self._remote):
            if self._chunks is None:
                self._chunks = iter(self._reopen(self._position))
            while not self._chunk:
                if (chunk := next(self._chunks, None)) is None:
                    raise ServiceUnavailable(f"{self._remote} ended the transfer early: try again")
                self._chunk = memoryview(chunk)
        count = min(len(buffer), len(self._chunk))
        buffer[:count] = self._chunk[:count]
        self._chunk = self._chunk[count:]
        self._position += count
        return count

    def close(self) -> None:
        """Drop the connection."""
        self._chunks = None
        super().close()
