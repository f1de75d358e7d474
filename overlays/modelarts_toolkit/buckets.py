"""A bucket, as the S3 library sees it: where it is, how to get in, and what its refusals mean."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple, TypeVar
from urllib.parse import urlsplit
from urllib.request import getproxies

from .config import Config
from .errors import ConfigError, ObsError
from .transport import proxy_for

if TYPE_CHECKING:
    from obstore.store import ClientConfig, S3Credential, S3Store

T = TypeVar("T")

PAUSES = (0.1, 0.3, 1.0, 3.0)  # seconds between one attempt and the next

# What the library says of an answer that broke off, and the store of an upload whose end it was asked for twice.
_LOST = ("response body", "NoSuchUpload")

_REFUSALS = {
    "InvalidAccessKeyId": "object storage does not know the access key: check MODELARTS_ACCESS_KEY",
    "SignatureDoesNotMatch": "the secret key does not belong to the access key: check MODELARTS_SECRET_KEY",
    "RequestTimeTooSkewed": "this machine's clock is wrong by more than object storage accepts: set it",
    "AccessDenied": "access denied: ask the bucket's owner for permission",
}


class Location(NamedTuple):
    """A bucket and what is meant in it; a key that is empty or ends in `/` is a folder."""

    bucket: str
    key: str

    @classmethod
    def parse(cls, url: str) -> "Location":
        """Raises ObsError for anything but `obs://bucket/key` and `/bucket/key`."""
        path = url.removeprefix("obs://") if url.startswith("obs://") else url[1:] if url.startswith("/") else ""
        bucket, _, key = path.partition("/")
        if not bucket or "//" in key or key.startswith("/") or {".", ".."} & set(key.split("/")):
            raise ObsError(f'"{url}" is no OBS path: write obs://bucket/key or /bucket/key', url=url)
        return cls(bucket, key)

    @property
    def is_folder(self) -> bool:
        return not self.key or self.key.endswith("/")

    def __str__(self) -> str:
        return f"obs://{self.bucket}/{self.key}"


def answered(ask: Callable[[], T]) -> T:
    """What `ask` returns; it is asked again where an answer was lost and the library gives up, so it must bear that."""
    from obstore.exceptions import GenericError

    for pause in PAUSES:
        try:
            return ask()
        except (GenericError, FileNotFoundError) as error:
            if not any(sign in str(error) for sign in _LOST):
                raise
        time.sleep(pause)
    return ask()


@contextmanager
def explained(place: Location, endpoint: str | None) -> Iterator[None]:
    """Turns what the library raises into one sentence about the place: ObsError."""
    from obstore.exceptions import BaseError

    try:
        yield
    except (BaseError, FileNotFoundError, PermissionError) as error:
        raise ObsError(_reason(place, endpoint, str(error)), url=str(place)) from error


def connect(config: Config, bucket: str) -> "S3Store":
    try:
        from obstore.store import S3Store
    except ModuleNotFoundError as error:
        raise ConfigError("object storage needs one more library: pip install 'modelarts-toolkit[obs]'") from error

    endpoint = str(config.obs_endpoint)

    def credential() -> "S3Credential":
        return {
            "access_key_id": str(config.access_key),
            "secret_access_key": str(config.secret_key),
            "token": config.security_token,
            "expires_at": None,
        }

    # OBS (obs.<region>.<domain>) wants the bucket in the host name; an address or any other store takes it in the path.
    parts = urlsplit(endpoint)
    is_virtual = (parts.hostname or "").startswith("obs.")
    address = f"{parts.scheme}://{bucket}.{parts.netloc}{parts.path}" if is_virtual else endpoint
    return S3Store(
        bucket,
        # The library reads AWS_* variables of its own accord; both names of the endpoint, and the provider of the
        # credentials, which would else be joined by AWS_SESSION_TOKEN, keep it to our settings.
        config={
            "aws_endpoint_url_s3": address,
            "endpoint": address,
            "region": config.region or (str(parts.hostname).split(".")[1] if is_virtual else "us-east-1"),
            "virtual_hosted_style_request": is_virtual,
        },
        credential_provider=credential,
        client_options={
            **_proxy(address),
            "allow_http": parts.scheme == "http",
            "connect_timeout": timedelta(seconds=10),
            "read_timeout": timedelta(seconds=60),
            "timeout": timedelta(days=1),  # of a whole download; a silent connection ends by read_timeout
        },
        retry_config={"max_retries": 4, "retry_timeout": timedelta(seconds=60)},
    )


def _proxy(address: str) -> "ClientConfig":
    """The library's own rule has no exception for this machine: take the one of our other calls."""
    if not getproxies():
        return {}
    if proxy := proxy_for(address):
        return {"proxy_url": proxy}
    host = urlsplit(address).hostname or ""
    return {"proxy_url": "http://127.0.0.1:9", "proxy_excludes": host}  # a proxy that nothing goes through


def _reason(place: Location, endpoint: str | None, text: str) -> str:
    """One sentence from the library's report, which nests what the store said in what it tried."""
    if "NoSuchBucket" in text:
        return f'there is no bucket "{place.bucket}" at {endpoint}: create it, for example with obs.create_bucket()'
    for code, words in _REFUSALS.items():
        if code in text:
            return f"{place}: {words}"
    if "NoSuchKey" in text or "not found" in text.lower():
        return f"there is no object {place}: upload it first, or correct the path"
    if "error sending request" in text or "Connect" in text:
        return f"no answer from object storage at {endpoint}: is it running, and is this its address?"
    return f"{place}: object storage refused: {text.splitlines()[0][:300]}"
