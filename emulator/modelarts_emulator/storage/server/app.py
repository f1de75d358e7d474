"""The HTTP application of the object store: the S3 dialect, addressed by path (`/bucket/key`).

Every request must be signed (header or presigned URL); what is not supported is rejected with NotImplemented.
"""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any
from urllib.parse import unquote

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from modelarts_emulator.storage.errors import (
    InvalidArgument,
    MethodNotAllowed,
    NotSupported,
    StoreError,
    of_os_error,
)
from modelarts_emulator.storage.multipart import Uploads
from modelarts_emulator.storage.protocol import Store
from modelarts_emulator.storage.server import buckets, objects, sigv4, uploads, xml
from modelarts_emulator.storage.server.body import Body
from modelarts_emulator.storage.server.call import Call

log = logging.getLogger(__name__)

Handler = Callable[[Call], Awaitable[Response]]

_STORE: dict[tuple[str, str], Handler] = {("GET", ""): buckets.list_buckets}
_BUCKET: dict[tuple[str, str], Handler] = {
    ("PUT", ""): buckets.create_bucket,
    ("HEAD", ""): buckets.head_bucket,
    ("DELETE", ""): buckets.delete_bucket,
    ("GET", ""): buckets.list_objects,
    ("GET", "list-type"): buckets.list_objects_v2,
    ("GET", "location"): buckets.get_location,
    ("GET", "uploads"): uploads.list_uploads,
    ("POST", "delete"): buckets.delete_objects,
}
_OBJECT: dict[tuple[str, str], Handler] = {
    ("PUT", ""): objects.put_object,
    ("PUT", "copy"): objects.copy_object,
    ("GET", ""): objects.get_object,
    ("HEAD", ""): objects.get_object,
    ("DELETE", ""): objects.delete_object,
    ("POST", "uploads"): uploads.begin_upload,
    ("PUT", "uploadId"): uploads.put_part,
    ("PUT", "uploadId copy"): uploads.copy_part,
    ("GET", "uploadId"): uploads.list_parts,
    ("POST", "uploadId"): uploads.complete_upload,
    ("DELETE", "uploadId"): uploads.abort_upload,
}

_SUBRESOURCES = {"list-type", "location", "uploads", "delete", "uploadId"}
_NOT_SUPPORTED = {
    *("accelerate", "acl", "analytics", "append", "attributes", "backtosource", "cors", "customdomain", "deletebucket"),
    *("directcoldaccess", "encryption", "intelligent-tiering", "inventory", "legal-hold", "lifecycle", "logging"),
    *("metadata", "metrics", "modify", "name", "notification", "object-lock", "ownershipControls", "partNumber"),
    *("policy", "policyStatus", "position", "publicAccessBlock", "quota", "rename", "replication", "requestPayment"),
    *("restore", "retention", "select", "storageClass", "storageinfo", "tagging", "torrent", "truncate", "versionId"),
    *("versioning", "versions", "website", "x-image-process"),
}
_REJECTED_HEADERS = (
    "x-amz-grant-",
    "x-amz-object-lock-",
    "x-amz-server-side-encryption",
    "x-amz-tagging",
    "x-amz-website-redirect-location",
    "x-amz-write-offset-bytes",
    "x-amz-copy-source-if-modified-since",
    "x-amz-copy-source-if-unmodified-since",
    "x-amz-copy-source-server-side-encryption",
)


def create_app(store: Store, identities: Iterable[sigv4.Identity], clock: Callable[[], float] = time.time) -> ASGIApp:
    """Prepare the store and return its application; any key pair of `identities` may do everything.

    Raises StoreError if the store cannot be used.
    """
    store.prepare()
    Uploads(store).sweep()
    return _ObjectStorage(store, identities, clock)


class _ObjectStorage:
    def __init__(self, store: Store, identities: Iterable[sigv4.Identity], clock: Callable[[], float]) -> None:
        self._store = store
        self._uploads = Uploads(store)
        self._identities = identities
        self._clock = clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        request_id = uuid.uuid4().hex.upper()
        try:
            response = await self._respond(request)
        except StoreError as error:
            response = _error_response(request, error, request_id)
        except OSError as error:
            response = _error_response(request, of_os_error(error), request_id)
        except ClientDisconnect:
            return
        except Exception:
            log.exception("%s %r failed", request.method, request.scope["path"])
            response = _error_response(request, StoreError("the object store failed; its output says how"), request_id)
        response.headers["x-amz-request-id"] = request_id
        await response(scope, receive, send)

    async def _respond(self, request: Request) -> Response:
        raw_path = (request.scope.get("raw_path") or request.scope["path"].encode()).decode("latin-1")
        query_string = request.scope["query_string"].decode("latin-1")
        headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in request.scope["headers"]]
        signed = sigv4.Request(request.method, raw_path, query_string, headers)
        verified = sigv4.verify(signed, self._identities, self._clock())
        bucket, _, key = _decoded(raw_path).removeprefix("/").partition("/")
        query = dict(signed.parameters())
        members = {name: signed.header(name) or "" for name, _ in headers}
        handler = _handler(request.method, bucket, key, query, members)
        body = Body(request.stream(), members, verified)
        call = Call(self._store, self._uploads, bucket, key, query, members, body, request.method == "HEAD")
        return await handler(call)


def _decoded(raw_path: str) -> str:
    try:
        return unquote(raw_path, errors="strict")
    except UnicodeDecodeError:
        raise InvalidArgument("the path is not UTF-8") from None


def _handler(method: str, bucket: str, key: str, query: Mapping[str, str], headers: Mapping[str, str]) -> Handler:
    """The handler of a call; raises NotSupported or MethodNotAllowed."""
    table = _OBJECT if key else _BUCKET if bucket else _STORE
    words = sorted(_SUBRESOURCES & query.keys())
    extra = sorted((_NOT_SUPPORTED & query.keys()) - ({"partNumber"} if "uploadId" in query else set()))
    if len(words) > 1 or extra:
        raise NotSupported(f"?{'&'.join(words + extra)} is not supported by this object store")
    for name, value in headers.items():
        kept = (name == "x-amz-acl" and value != "private") or (name == "x-amz-storage-class" and value != "STANDARD")
        if kept or name.startswith(_REJECTED_HEADERS):
            raise NotSupported(f"header {name} is not supported by this object store, leave it out")
    if method == "PUT" and "x-amz-copy-source" in headers:
        words.append("copy")
    handler = table.get((method, " ".join(words)))
    if handler is None:
        raise MethodNotAllowed(f"{method} is not supported on this resource")
    return handler


def _error_response(request: Request, error: StoreError, request_id: str) -> Response:
    content: list[tuple[str, Any]] = [
        ("Code", error.code),
        ("Message", str(error)),
        ("Resource", request.scope["path"]),
        ("RequestId", request_id),
    ]
    body = b"" if request.method == "HEAD" else xml.render("Error", content, namespace=None)
    return Response(body, error.status, media_type="application/xml")
