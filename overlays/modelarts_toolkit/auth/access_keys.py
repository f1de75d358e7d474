"""Requests that are signed with an access key and a secret key (AK/SK).

Sources: for services (SDK-HMAC-SHA256) the page "Authentication", which shows the header's scoped form (`Credential=`),
and Huawei Cloud's API signing guide, which defines the unscoped form (`Access=`) with the example that the tests
recompute; for object storage AWS Signature Version 4 for S3, which OBS accepts as well.
"""

import copy
import hashlib
import hmac
from collections.abc import Generator
from datetime import UTC, datetime
from urllib.parse import quote, unquote

import httpx

from modelarts_toolkit.errors import ConfigError
from modelarts_toolkit.settings.config import Config
from modelarts_toolkit.settings.values import checked

ALGORITHM = "SDK-HMAC-SHA256"
OF_STORAGE = "AWS4-HMAC-SHA256"

# Headers that go into the signature, besides every X-Sdk-* header. Proxies may change others.
_SIGNED = frozenset({"content-type", "host", "x-domain-id", "x-project-id", "x-security-token"})


class AkSkAuth(httpx.Auth):
    """Signs each request with an access key and a secret key; the secret key is never sent.

    With a region the signature has the scoped form, without one the unscoped form; services accept both.
    `security_token` belongs to temporary keys. `project_id` goes into `X-Project-Id`.
    """

    requires_request_body = True

    def __init__(
        self,
        access_key: str,
        secret_key: str,
        *,
        security_token: str | None = None,
        project_id: str | None = None,
        region: str | None = None,
        service: str = "modelarts",
    ) -> None:
        """Raise ConfigError without both keys, or if no header can carry one."""
        if not access_key or not secret_key:
            raise ConfigError("a signature needs both keys: give access_key and secret_key")
        self.project_id = project_id
        self._access_key = checked("access_key", access_key)
        self._secret_key = checked("secret_key", secret_key)
        self._security_token = checked("security_token", security_token) if security_token else None
        self._scope = f"{region}/{service}" if region else None

    def __repr__(self) -> str:
        return f"AkSkAuth({self._access_key[:4]}..., project_id={self.project_id!r})"

    def of_project(self, project_id: str | None) -> "AkSkAuth":
        """The same keys for another project, or for none."""
        other = copy.copy(self)
        other.project_id = project_id
        return other

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        """Sign the request."""
        if self.project_id:
            request.headers["X-Project-Id"] = self.project_id
        if self._security_token:
            request.headers["X-Security-Token"] = self._security_token
        sign(request, self._access_key, self._secret_key, datetime.now(UTC), scope=self._scope)
        yield request


def sign(request: httpx.Request, access_key: str, secret_key: str, now: datetime, *, scope: str | None = None) -> None:
    """Add the headers `X-Sdk-Date` and `Authorization` for a moment of UTC; the body must be in memory.

    `scope` is `region/service` for the scoped form. A header `X-Sdk-Content-Sha256` replaces the hash of the body.
    """
    stamp = now.strftime("%Y%m%dT%H%M%SZ")
    request.headers["X-Sdk-Date"] = stamp
    names = sorted(name for name in request.headers if name in _SIGNED or name.startswith("x-sdk-"))
    payload = request.headers.get("X-Sdk-Content-Sha256") or hashlib.sha256(request.content).hexdigest()
    path = unquote(request.url.raw_path.partition(b"?")[0].decode("ascii"))
    canonical = canonical_request(request, quote(path.removesuffix("/"), safe="/~") + "/", names, payload)
    if scope is None:
        key, credential, moment = secret_key.encode(), f"Access={access_key}", stamp
    else:
        scope = f"{stamp[:8]}/{scope}/sdk_request"
        key = derived_key(f"SDK{secret_key}", scope)
        credential, moment = f"Credential={access_key}/{scope}", f"{stamp}\n{scope}"
    request.headers["Authorization"] = authorization(ALGORITHM, credential, names, canonical, moment, key)


def sign_for_storage(request: httpx.Request, config: Config, region: str, now: datetime) -> None:
    """Add the headers `X-Amz-*` and `Authorization` for this time in UTC; the body must be in memory."""
    stamp = now.strftime("%Y%m%dT%H%M%SZ")
    payload = hashlib.sha256(request.content).hexdigest()
    request.headers.update({"x-amz-date": stamp, "x-amz-content-sha256": payload})
    if config.security_token:
        request.headers["x-amz-security-token"] = config.security_token

    names = sorted(name for name in request.headers if name == "host" or name.startswith("x-amz-"))
    canonical = canonical_request(request, request.url.raw_path.partition(b"?")[0].decode(), names, payload)
    scope = f"{stamp[:8]}/{region}/s3/aws4_request"
    key, credential = derived_key(f"AWS4{config.secret_key}", scope), f"Credential={config.access_key}/{scope}"
    moment = f"{stamp}\n{scope}"
    request.headers["authorization"] = authorization(OF_STORAGE, credential, names, canonical, moment, key)


def canonical_request(request: httpx.Request, path: str, names: list[str], payload: str) -> str:
    """The request as SDK-HMAC-SHA256 and AWS4-HMAC-SHA256 sign it: these headers, and the hash of the body."""
    parameters = sorted(
        (quote(name, safe="~"), quote(value, safe="~")) for name, value in request.url.params.multi_items()
    )
    lines = [
        request.method,
        path,
        "&".join(f"{name}={value}" for name, value in parameters),
        *(f"{name}:{' '.join(request.headers[name].split())}" for name in names),
        "",
        ";".join(names),
        payload,
    ]
    return "\n".join(lines)


def authorization(algorithm: str, credential: str, names: list[str], canonical: str, moment: str, key: bytes) -> str:
    """The header with the signature of a request; `moment` is the time, with the scope in a second line."""
    text = f"{algorithm}\n{moment}\n{hashlib.sha256(canonical.encode()).hexdigest()}"
    signature = hmac.digest(key, text.encode(), "sha256").hex()
    return f"{algorithm} {credential}, SignedHeaders={';'.join(names)}, Signature={signature}"


def derived_key(secret: str, scope: str) -> bytes:
    """The key of a scope `date/region/service/...`."""
    key = secret.encode()
    for part in scope.split("/"):
        key = hmac.digest(key, part.encode(), "sha256")
    return key
