"""The HTTP application of the object store: the dialects of S3 and of OBS, addressed by path or by host name.

Every request must be signed, in a header or in its URL; only `HEAD /?apiversion` of OBS clients is served without.
"""

from __future__ import annotations

import functools
import logging
import time
import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any
from urllib.parse import unquote

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from modelarts_emulator.http import signatures
from modelarts_emulator.s3 import signing, xml
from modelarts_emulator.s3.body import Body
from modelarts_emulator.s3.call import FIRST_FORM, Call, Dialect
from modelarts_emulator.s3.operations import find_handler
from modelarts_emulator.settings.accounts import Identity
from modelarts_emulator.storage.errors import AccessDenied, StoreError, of_os_error
from modelarts_emulator.storage.multipart import Uploads
from modelarts_emulator.storage.protocol import AccountStore, Store

log = logging.getLogger(__name__)

_API_VERSION = {"x-obs-api": "3.0"}
"""The response to `HEAD /?apiversion`: OBS's own dialect is spoken here."""


def create_app(
    store: Store,
    identities: Iterable[Identity],
    clock: Callable[[], float] = time.time,
    domains: Sequence[str] = ("localhost",),
    temporary_identity: Callable[[str], Identity | None] = lambda _: None,
    view: Callable[[Store, str], AccountStore] = AccountStore,
) -> ASGIApp:
    """Prepare the store and return its application; raises StoreError if the store cannot be used.

    `identities` are read for every call. `temporary_identity` returns the identity of a security token with its keys,
    None for an invalid token. A Host header `<bucket>.<one of the domains>` names a bucket. `view` makes the store of
    an account.
    """
    store.prepare()
    Uploads(store).sweep()
    return _ObjectStorage(
        functools.cache(functools.partial(view, store)), identities, clock, domains, temporary_identity
    )


@dataclass(frozen=True, slots=True)
class _ObjectStorage:
    store_of: Callable[[str], AccountStore]
    identities: Iterable[Identity]
    clock: Callable[[], float]
    domains: Sequence[str]
    temporary_identity: Callable[[str], Identity | None]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        request_id = uuid.uuid4().hex.upper()
        signed = signatures.Request.of(scope)
        dialect = _dialect_of(signed)
        try:
            response = await self._respond(request, signed, dialect)
        except StoreError as error:
            response = _error_response(request, error, request_id)
        except OSError as error:
            response = _error_response(request, of_os_error(error), request_id)
        except ClientDisconnect:
            return
        except Exception:
            log.exception("%s %r failed", request.method, request.scope["path"])
            failure = StoreError("InternalError", "the object store failed; its output says how")
            response = _error_response(request, failure, request_id)
        response.headers["x-amz-request-id"] = request_id
        dialect.write(response.headers)
        await response(scope, receive, send)

    async def _respond(self, request: Request, signed: signatures.Request, dialect: Dialect) -> Response:
        query = dict(signed.parameters())
        is_head = request.method == "HEAD"
        if is_head and "apiversion" in query:
            return Response(status_code=200, headers=_API_VERSION)
        host_bucket = _bucket_of_host(signed.header("host") or "", self.domains)
        path = _decoded(signed.path).removeprefix("/")
        bucket, _, key = (host_bucket, "/", path) if host_bucket else path.partition("/")
        identities = self._identities_of(signing.security_token_of(signed))
        verified = signing.verify(signed, identities, self.clock(), host_bucket)
        members = dialect.read(signing.headers_of(signed))
        body = Body(request.stream(), members, verified.payload)
        handler = find_handler(request.method, bucket, key, query, members)
        sender = next(entry for entry in identities if entry.access_key == verified.access_key)
        is_old = FIRST_FORM in request.scope
        store = self.store_of(sender.domain_id)
        return await handler(Call(store, bucket, key, query, members, body, is_head, sender, dialect, is_old))

    def _identities_of(self, token: str | None) -> Iterable[Identity]:
        """Return the identities whose keys may sign the request: all, or only that of the security token."""
        if token is None:
            return self.identities
        identity = self.temporary_identity(token)
        if identity is None:
            raise AccessDenied("the security token is not valid, or has expired: get new temporary keys")
        return [identity]


def _dialect_of(request: signatures.Request) -> Dialect:
    """Return the dialect of the signature's scheme; OBS clients also send an unsigned `?apiversion`."""
    scheme = signing.scheme_of(request)
    is_question = not scheme and any(name == "apiversion" for name, _ in request.parameters())
    return Dialect.OBS if scheme == "OBS" or is_question else Dialect.S3


def _bucket_of_host(host: str, domains: Sequence[str]) -> str:
    """Return the bucket of a Host header `<bucket>.<domain>`; empty if the host is not below a domain."""
    name = host.lower()
    if not name.startswith("["):
        name = name.partition(":")[0]
    return next((name[: -len(domain) - 1] for domain in domains if name.endswith(f".{domain}")), "")


def _decoded(raw_path: str) -> str:
    try:
        return unquote(raw_path, errors="strict")
    except UnicodeDecodeError:
        raise StoreError("InvalidArgument", "the path is not UTF-8") from None


def _error_response(request: Request, error: StoreError, request_id: str) -> Response:
    content: list[tuple[str, Any]] = [
        ("Code", error.code),
        ("Message", str(error)),
        ("Resource", request.scope["path"]),
        ("RequestId", request_id),
    ]
    body = b"" if request.method == "HEAD" else xml.render("Error", content, namespace=None)
    return Response(body, error.status, media_type="application/xml")


def xml_rejection(status: HTTPStatus, fact: str, remedy: str) -> Response:
    """The response of the object store."""
    code = "InvalidRequest" if status == HTTPStatus.BAD_REQUEST else "AccessDenied"
    content = [("Code", code), ("Message", f"{fact} {remedy}")]
    return Response(xml.render("Error", content, namespace=None), status, media_type="application/xml")
