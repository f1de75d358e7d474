"""The object store's HTTP face: the S3-compatible dialect, addressed by path (`/bucket/key`).

Every request must be signed (header or presigned URL); what is not offered is refused with NotImplemented.
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

from . import bucket_calls, documents, object_calls, sigv4, upload_calls
from .body import Body
from .calls import Call
from .errors import InvalidArgument, MethodNotAllowed, NotOffered, StoreError, of_os_error
from .multipart import Uploads
from .store import ObjectStore

log = logging.getLogger(__name__)

Handler = Callable[[Call], Awaitable[Response]]

_STORE: dict[tuple[str, str], Handler] = {("GET", ""): bucket_calls.list_buckets}
_BUCKET: dict[tuple[str, str], Handler] = {
    ("PUT", ""): bucket_calls.create_bucket,
    ("HEAD", ""): bucket_calls.head_bucket,
    ("DELETE", ""): bucket_calls.delete_bucket,
    ("GET", ""): bucket_calls.list_objects,
    ("GET", "list-type"): bucket_calls.list_objects_v2,
    ("GET", "location"): bucket_calls.get_location,
    ("GET", "uploads"): upload_calls.list_uploads,
    ("POST", "delete"): bucket_calls.delete_objects,
}
_OBJECT: dict[tuple[str, str], Handler] = {
    ("PUT", ""): object_calls.put_object,
    ("PUT", "copy"): object_calls.copy_object,
    ("GET", ""): object_calls.get_object,
    ("HEAD", ""): object_calls.get_object,
    ("DELETE", ""): object_calls.delete_object,
    ("POST", "uploads"): upload_calls.begin_upload,
    ("PUT", "uploadId"): upload_calls.put_part,
    ("PUT", "uploadId copy"): upload_calls.copy_part,
    ("GET", "uploadId"): upload_calls.list_parts,
    ("POST", "uploadId"): upload_calls.complete_upload,
    ("DELETE", "uploadId"): upload_calls.abort_upload,
}

_SUBRESOURCES = {"list-type", "location", "uploads", "delete", "uploadId"}
_NOT_OFFERED = {
    *("accelerate", "acl", "analytics", "append", "attributes", "backtosource", "cors", "customdomain", "deletebucket"),
    *("directcoldaccess", "encryption", "intelligent-tiering", "inventory", "legal-hold", "lifecycle", "logging"),
    *("metadata", "metrics", "modify", "name", "notification", "object-lock", "ownershipControls", "partNumber"),
    *("policy", "policyStatus", "position", "publicAccessBlock", "quota", "rename", "replication", "requestPayment"),
    *("restore", "retention", "select", "storageClass", "storageinfo", "tagging", "torrent", "truncate", "versionId"),
    *("versioning", "versions", "website", "x-image-process"),
}
_REFUSED_HEADERS = (
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


def create_app(
    store: ObjectStore, identities: Iterable[sigv4.Identity], clock: Callable[[], float] = time.time
) -> ASGIApp:
    """The application for a store; whoever has a key pair of `identities` may do everything, nobody else anything."""
    store.root.mkdir(parents=True, exist_ok=True)
    store.sweep()
    Uploads(store).sweep()
    return _ObjectStorage(store, list(identities), clock)


class _ObjectStorage:
    def __init__(self, store: ObjectStore, identities: list[sigv4.Identity], clock: Callable[[], float]) -> None:
        self._store = store
        self._uploads = Uploads(store)
        self._identities = identities
        self._clock = clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        request_id = uuid.uuid4().hex.upper()
        try:
            response = await self._answer(request)
        except StoreError as error:
            response = _refusal(request, error, request_id)
        except OSError as error:
            response = _refusal(request, of_os_error(error), request_id)
        except ClientDisconnect:
            return
        except Exception:
            log.exception("%s %r failed", request.method, request.scope["path"])
            response = _refusal(request, StoreError("the object store failed; its output says how"), request_id)
        response.headers["x-amz-request-id"] = request_id
        await response(scope, receive, send)

    async def _answer(self, request: Request) -> Response:
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
    """The handler of a call; raises NotOffered or MethodNotAllowed."""
    table = _OBJECT if key else _BUCKET if bucket else _STORE
    words = sorted(_SUBRESOURCES & query.keys())
    extra = sorted((_NOT_OFFERED & query.keys()) - ({"partNumber"} if "uploadId" in query else set()))
    if len(words) > 1 or extra:
        raise NotOffered(f"?{'&'.join(words + extra)} is not offered by this object store")
    for name, value in headers.items():
        kept = (name == "x-amz-acl" and value != "private") or (name == "x-amz-storage-class" and value != "STANDARD")
        if kept or name.startswith(_REFUSED_HEADERS):
            raise NotOffered(f"header {name} is not supported by this object store, leave it out")
    if method == "PUT" and "x-amz-copy-source" in headers:
        words.append("copy")
    handler = table.get((method, " ".join(words)))
    if handler is None:
        raise MethodNotAllowed(f"{method} is not offered on this resource")
    return handler


def _refusal(request: Request, error: StoreError, request_id: str) -> Response:
    content: list[tuple[str, Any]] = [
        ("Code", error.code),
        ("Message", str(error)),
        ("Resource", request.scope["path"]),
        ("RequestId", request_id),
    ]
    body = b"" if request.method == "HEAD" else documents.render("Error", content, namespace=None)
    return Response(body, error.status, media_type="application/xml")
