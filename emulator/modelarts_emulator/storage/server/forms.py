"""Uploads of HTML forms, signed by a policy that says what may be uploaded (presigned POST).

Source: "Browser-Based Uploads Using POST" of the S3 reference; "Uploading Objects - POST" of the OBS reference.
"""

from __future__ import annotations

import base64
import calendar
import hmac
import json
import re
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from typing import Any
from urllib.parse import quote, urlencode

from python_multipart.exceptions import MultipartParseError
from starlette.datastructures import FormData, UploadFile
from starlette.formparsers import MultiPartException
from starlette.requests import Request
from starlette.responses import Response

from modelarts_emulator.storage.errors import (
    AccessDenied,
    EntityTooLarge,
    EntityTooSmall,
    InvalidArgument,
    SignatureDoesNotMatch,
)
from modelarts_emulator.storage.server import sigv2, sigv4
from modelarts_emulator.storage.server.body import Body
from modelarts_emulator.storage.server.call import Call
from modelarts_emulator.storage.server.dialect import Dialect
from modelarts_emulator.storage.server.objects import put_object
from modelarts_emulator.storage.server.sigv4 import ALGORITHM, UNSIGNED, Identity, Scope, Verified, secret_of

__all__ = ["Form", "is_form", "read_form"]

_BLOCK = 1 << 20
_UNNAMED = {"policy", "signature", "x-amz-signature", "file", "awsaccesskeyid", "accesskeyid"}
"""Fields that no condition of a policy needs to name."""

_AS_HEADERS = {"acl": "x-amz-acl", "tagging": "x-amz-tagging"}
"""Fields that have another name as the header of a PUT."""

_SIGNING = {f"x-amz-{name}" for name in ("algorithm", "credential", "date", "security-token", "signature")}
"""Fields that say who signed the policy."""

_URL = re.compile(r"[\x21-\x7e]*")


class Form:
    """A form whose policy allows it: who signed it, its fields by lower-case name, and the file."""

    def __init__(self, access_key: str, fields: Mapping[str, str], file: UploadFile) -> None:
        self.access_key = access_key
        self.fields = fields
        self._file = file

    @property
    def key(self) -> str:
        """The object's key, with the file's name, without its path, where it says so."""
        name = re.split(r"[/\\]", self._file.filename or "")[-1]
        return self.fields["key"].replace("${filename}", name)

    @property
    def security_token(self) -> str | None:
        """The token of the temporary keys that signed the policy."""
        return _security_token(self.fields)

    @property
    def redirect(self) -> str:
        """The URL to go to after the upload, empty if there is none."""
        return self.fields.get("success_action_redirect") or self.fields.get("redirect") or ""

    def headers(self) -> dict[str, str]:
        """The headers of a PUT of the same object; those of OBS have the names of S3, as of any call."""
        names = ("cache-control", "content-disposition", "content-encoding", "content-language", "content-md5")
        kept = {*names, "content-type", "expires"}
        given = {_AS_HEADERS.get(name, name): value.strip() for name, value in self.fields.items()}
        fields = Dialect.OBS.read(given.items()).items()
        return {name: value for name, value in fields if name in kept or _is_header(name)}

    def body(self) -> Body:
        """The file, as the body of a PUT."""
        return Body(self._stream(), self.headers(), Verified(self.access_key, UNSIGNED, b"", Scope("", ""), "", ""))

    async def _stream(self) -> AsyncIterator[bytes]:
        while data := await self._file.read(_BLOCK):
            yield data

    async def respond(self, call: Call) -> Response:
        """Put the object and respond as the form asks."""
        put = await put_object(call)
        etag = put.headers["etag"]
        location = f"/{call.bucket}/{quote(call.key)}"
        if target := self.redirect:
            query = urlencode({"bucket": call.bucket, "key": call.key, "etag": etag})
            put.status_code = 303
            put.headers["location"] = f"{target}{'&' if '?' in target else '?'}{query}"
            return put
        status = self.fields.get("success_action_status", "204")
        if status == "201":
            names = [("Location", location), ("Bucket", call.bucket), ("Key", call.key), ("ETag", etag)]
            response = call.xml("PostResponse", names, etag=etag, location=location)
            response.status_code = 201
            return response
        put.status_code = 200 if status == "200" else 204
        put.headers["location"] = location
        return put


def is_form(request: sigv4.Request) -> bool:
    """Whether the request is an upload of a form, which has its signature in itself."""
    kind = request.header("content-type") or ""
    is_signed = request.header("authorization") is not None
    return request.method == "POST" and not is_signed and kind.lower().startswith("multipart/form-data")


IdentitiesOf = Callable[[str | None], Iterable[Identity]]
"""Those whose keys may sign, by the security token of temporary keys."""


async def read_form(request: Request, bucket: str, identities_of: IdentitiesOf, now: float) -> Form:
    """Read a form and check its policy; raises AccessDenied, SignatureDoesNotMatch and others."""
    try:
        data = await request.form(max_files=1, max_part_size=1 << 16)
    except (MultiPartException, MultipartParseError, ValueError) as error:
        raise InvalidArgument(f"the form cannot be read: {error}") from None
    return _checked(data, bucket, identities_of, now)


def _checked(data: FormData, bucket: str, identities_of: IdentitiesOf, now: float) -> Form:
    fields = {name.lower(): value for name, value in data.multi_items() if isinstance(value, str)}
    file = data.get("file")
    if not isinstance(file, UploadFile) or not fields.get("key"):
        raise InvalidArgument("the form needs a field key and, last, a field file")
    access_key = _verify(fields, identities_of(_security_token(fields)))
    fields["bucket"] = bucket
    _obey(fields, _policy(fields["policy"]), file.size or 0, now)
    form = Form(access_key, fields, file)
    if _URL.fullmatch(form.redirect) is None:
        raise InvalidArgument("the URL in success_action_redirect or redirect must be printable ASCII without spaces")
    return form


def _is_header(name: str) -> bool:
    return name.startswith("x-amz-") and name not in _SIGNING


def _security_token(fields: Mapping[str, str]) -> str | None:
    return fields.get("x-amz-security-token") or fields.get("x-obs-security-token")


def _verify(fields: Mapping[str, str], identities: Iterable[Identity]) -> str:
    """The access key that signed the policy."""
    if not fields.get("policy"):
        raise AccessDenied("the form is not signed: it needs a policy and its signature")
    policy = fields["policy"]
    if fields.get("x-amz-algorithm") == ALGORITHM:
        access_key, scope = sigv4.credential(fields.get("x-amz-credential", ""), InvalidArgument)
        key = sigv4.signing_key(secret_of(access_key, identities), scope)
        expected, given = hmac.digest(key, policy.encode(), "sha256").hex(), fields.get("x-amz-signature", "")
    else:
        access_key = fields.get("awsaccesskeyid") or fields.get("accesskeyid") or ""
        expected, given = sigv2.sign(secret_of(access_key, identities), policy), fields.get("signature", "")
    if not hmac.compare_digest(expected.encode(), given.encode()):
        raise SignatureDoesNotMatch("the signature is not that of the form's policy: check the secret key")
    return access_key


def _policy(text: str) -> dict[str, Any]:
    try:
        policy = json.loads(base64.b64decode(text))
    except ValueError:
        policy = None
    if not isinstance(policy, dict) or not isinstance(policy.get("conditions"), list):
        raise InvalidArgument("the policy must be the base64 of a JSON object with expiration and conditions")
    return policy


def _obey(fields: Mapping[str, str], policy: Mapping[str, Any], size: int, now: float) -> None:
    """Raise AccessDenied unless the policy is valid and allows every field, EntityTooLarge or EntityTooSmall."""
    expiration = re.sub(r"\.\d+", "", str(policy.get("expiration")))
    try:
        expires = time.strptime(expiration, "%Y-%m-%dT%H:%M:%SZ")
    except ValueError:
        raise InvalidArgument("the policy's expiration must have the form 2030-01-01T00:00:00Z") from None
    if now > calendar.timegm(expires):
        raise AccessDenied("the policy has expired: ask for a new one")
    named = set()
    for condition in policy["conditions"]:
        match condition:
            case {**only} if len(only) == 1:
                ((name, value),) = only.items()
                named.add(_check("eq", str(name), str(value), fields))
            case [("eq" | "starts-with") as kind, str(name), value]:
                named.add(_check(kind, name.removeprefix("$"), str(value), fields))
            case ["content-length-range", int(least), int(most)]:
                if size < least:
                    raise EntityTooSmall(f"the file has {size} bytes, the policy wants at least {least}")
                if size > most:
                    raise EntityTooLarge(f"the file has {size} bytes, the policy allows {most}")
            case _:
                raise InvalidArgument(f"the policy has a condition that is unknown: {json.dumps(condition)}")
    extra = sorted(fields.keys() - named - _UNNAMED)
    if loose := [name for name in extra if not name.startswith("x-ignore-")]:
        raise AccessDenied(f"the policy has no condition for these fields of the form: {', '.join(loose)}")


def _check(kind: str, name: str, wanted: str, fields: Mapping[str, str]) -> str:
    """Check a condition and return the name of its field."""
    name = name.lower()
    found = fields.get(name, "")
    if not (found == wanted if kind == "eq" else found.startswith(wanted)):
        raise AccessDenied(f"the form breaks the policy's condition on {name}")
    return name
