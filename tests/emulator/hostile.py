"""Hostile requests, repeatable by their seed: raw bytes, and wrong values behind a right token."""

from __future__ import annotations

import copy
import json
import random
import socket
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import modelarts_openapi

NOT_IMPLEMENTED = 501
TEXTS = (
    *(
        "",
        " ",
        "\0",
        "a\0b",
        "\ud800",
        "a\udfffb",
        "\u202e",
        "é",
        "💥",
        "\r\n",
        "\t",
        "\x7f",
        "\\",
        "'",
        '"',
        "%",
        "%00",
    ),
    *("/", "//", "../..", "/../../etc/passwd", "obs://", "obs://b", "obs://bucket/../x", "/bucket//x", "{x}", "${x}"),
    *("-1", "0", "1e999", "NaN", "null", "true", "[]", "{}", "(a+)+$", "(", "[", "(?P<a>x)(?P<a>y)", "worker-99999"),
    *(
        "9" * 30,
        "9" * 5000,
        "x" * 300,
        "x" * 70_000,
        "ä" * 9000,
        "'; drop table jobs; --",
        "create_time",
        "name:x",
        ":",
    ),
)
NUMBERS = (0, -0.0, -1, 1, 0.5, 1e308, -1e308, 2**31, 2**53 + 1, 2**62, 2**63, 2**64, -(2**63) - 1, 10**30, 10**400)
OTHERS: tuple[Any, ...] = (
    *(None, True, False, [], {}, [None], [[]], {"": ""}, {"\ud800": 1}),
    *(["x"] * 3000, {"name": "x"}, [{}], [[[[1]]]]),
)
METHODS = ("GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE", "CONNECT", "PRI", "get", "G\0T", "")
VERSIONS = ("HTTP/1.1", "HTTP/1.0", "HTTP/0.9", "HTTP/2.0", "HTTP/1.1 ", "HTTP/9.9", "http/1.1", "")


@dataclass
class Client:
    """A connection to a server, opened anew whenever the server closes it; counts the statuses of all responses."""

    url: str
    statuses: Counter[int] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    _connection: socket.socket | None = None

    def send(self, request: bytes, is_complete: bool = True) -> int:
        """Send the request and return the status of the response, 0 if there is none.

        A request that is not complete is the last of its connection.
        """
        try:
            connection = self._connected()
            connection.sendall(request)
            if not is_complete:
                connection.shutdown(socket.SHUT_WR)
            status, is_open = _read_response(connection, request.startswith(b"HEAD "))
        except TimeoutError:
            status, is_open = 0, False
            self.failures.append(f"no response and no end: {request[:1500]!r}")
        except OSError:
            status, is_open = 0, False
        if not is_open or not is_complete:
            self.close()
        self.statuses[status] += 1
        if status >= 500 and status != NOT_IMPLEMENTED:
            self.failures.append(f"{status}: {request[:1500]!r}")
        return status

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _connected(self) -> socket.socket:
        if self._connection is None:
            host, port = self.url.removeprefix("http://").split(":")
            self._connection = socket.create_connection((host, int(port)), timeout=30)
        return self._connection


def _read_response(connection: socket.socket, is_head: bool) -> tuple[int, bool]:
    """The status of the next response, and whether the connection stays open."""
    received = b""
    while b"\r\n\r\n" not in received:
        if not (piece := connection.recv(65536)):
            return 0, False
        received += piece
    head, _, body = received.partition(b"\r\n\r\n")
    lines = head.lower().split(b"\r\n")
    status = int(lines[0].split()[1])
    fields = dict(line.split(b": ", 1) for line in lines[1:])
    is_open = fields.get(b"connection") != b"close"
    if is_head or status in (204, 304):
        return status, is_open
    if b"content-length" in fields:
        missing = int(fields[b"content-length"]) - len(body)
        while missing > 0 and (piece := connection.recv(65536)):
            missing -= len(piece)
    else:
        while not body.endswith(b"0\r\n\r\n") and (piece := connection.recv(65536)):
            body = body[-5:] + piece
    return status, is_open


def raw_requests(seed: int, host: str) -> Iterator[tuple[bytes, bool]]:
    """Requests that are hardly ones: odd lines, heads, framings and bodies; and whether each is complete."""
    choose = random.Random(seed)
    while True:
        body = _raw_body(choose)
        lines = [_line(choose)]
        lines += [f"Host: {host}".encode()] * choose.choice((1, 1, 1, 1, 1, 0, 2))
        lines += [_field(choose, len(body)) for _ in range(choose.randrange(5))]
        if choose.random() < 0.8:
            lines.append(b"Content-Length: %d" % len(body))
        request = b"\r\n".join([*lines, b"", b""]) + body
        for _ in range(choose.choice((0, 0, 0, 1, 3, 10))):
            request = _mutated(choose, request)
        yield request, False


PATHS = ("/", "*", "/v3", "/v3/auth/tokens", "/v2/x/training-jobs", "/_emulator/health", "http://a/b", "//", "")
ENDINGS = ("", "", "?", "?a=b", "?" + "a=b&" * 3000, "#x", "?%ff%00", ";x", "/" * 3000, "/%2e%2e/%00", "\xff")
FIELDS = (
    *("Content-Length", "Transfer-Encoding", "Content-Type", "Expect", "Connection", "Upgrade", "X-Auth-Token"),
    *("x", "", "a b"),
)
FIELD_VALUES = (
    *("-1", "0x10", "9" * 30, "chunked", "gzip, chunked", "identity", "100-continue", "close", "Upgrade", "h2c"),
    *("upgrade, close", "websocket", "application/json", "text/plain", "x" * 5000, "\0", "\xff", "a\r\n b", ""),
)


def _line(choose: random.Random) -> bytes:
    path = choose.choice(PATHS) + choose.choice(ENDINGS)
    return f"{choose.choice(METHODS)} {path} {choose.choice(VERSIONS)}".encode("latin-1")


def _field(choose: random.Random, size: int) -> bytes:
    value = choose.choice((*FIELD_VALUES, str(size), str(size + 1)))
    return f"{choose.choice(FIELDS)}:{choose.choice(('', ' '))}{value}".encode("latin-1")


def _raw_body(choose: random.Random) -> bytes:
    kind = choose.randrange(7)
    if kind == 0:
        return choose.randbytes(choose.randrange(200))
    if kind == 1:
        depth = choose.choice((10, 300, 5000, 100_000))
        return (b"[" * depth) + b"]" * choose.choice((0, depth))
    if kind == 2:
        return b'{"a":' * choose.choice((10, 300, 5000)) + b"1"
    if kind == 3:
        return b"%x\r\n%s\r\n0\r\n\r\n" % (choose.choice((0, 3, 2**31, 2**70)), b"x" * 3)
    return choose.choice(
        (
            b"",
            b"{}",
            b"null",
            b'"\xed\xa0\x80"',
            b"\xff\xfe{\0}\0",
            b"\xef\xbb\xbf{}",
            b"1" * 5000,
            b"{}" + b" " * 70_000,
        )
    )


def _mutated(choose: random.Random, request: bytes) -> bytes:
    if not request:
        return request
    place = choose.randrange(len(request))
    kind = choose.randrange(4)
    if kind == 0:
        return request[:place]
    if kind == 1:
        return request[:place] + choose.randbytes(1) + request[place + 1 :]
    if kind == 2:
        return request[:place] + request[choose.randrange(len(request)) :]
    return request[:place] + choose.choice((b"\r", b"\n", b"\r\n", b"\0", b" ", b":")) + request[place:]


@dataclass(frozen=True)
class Target:
    """What the values are sent to: the bodies that operations take, and the ids that there are."""

    project: str
    job_id: str
    algorithm_id: str
    bodies: Mapping[str, Any]


@dataclass(frozen=True)
class Request:
    """A request for a client that puts a right token into it."""

    method: str
    path: str
    body: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)

    def encode(self, host: str, headers: Mapping[str, str]) -> bytes:
        own = {"Host": host, **headers, **self.headers, "Content-Length": str(len(self.body or b""))}
        lines = [f"{self.method} {self.path} HTTP/1.1", *(f"{name}: {value}" for name, value in own.items()), "", ""]
        return "\r\n".join(lines).encode("latin-1") + (self.body or b"")


def wrong_values(seed: int, target: Target) -> Iterator[Request]:
    """Requests of all operations and of the control API, each with some values that do not belong there."""
    choose = random.Random(seed)
    operations = [*_operations(), *_control_calls()]
    while True:
        method, path, query, name = choose.choice(operations)
        for parameter, value in _ids(target).items():
            given = value if choose.random() < 0.7 else _text(choose)
            path = path.replace("{" + parameter + "}", quote(given, safe="" if choose.random() < 0.8 else "/"))
        pairs = [f"{quote(each)}={quote(_text(choose), errors='replace')}" for each in query if choose.random() < 0.4]
        if choose.random() < 0.05:
            pairs += [f"{quote(_text(choose), errors='replace')}=x"]
        path = f"{path}?{'&'.join(pairs)}" if pairs else path
        body = _body(choose, target.bodies[name]) if name in target.bodies and method in ("POST", "PUT") else None
        headers = {"Content-Type": "application/json"} if body is not None and choose.random() < 0.95 else {}
        if choose.random() < 0.1:
            headers |= {
                "X-Auth-Token": "",
                "Authorization": choose.choice(AUTHORIZATIONS),
                **_signature_headers(choose),
            }
        if path.startswith("/v3/auth/tokens"):
            headers["X-Subject-Token"] = choose.choice(SUBJECTS)
        yield Request(method, path, body, headers)


HASH, DAY = "0" * 64, "20191115"
AUTHORIZATIONS = (
    *("", "Bearer x", "SDK-HMAC-SHA256", "SDK-HMAC-SHA256 Access=, SignedHeaders=, Signature=", "\xe4" * 900),
    f"SDK-HMAC-SHA256 Access=x, SignedHeaders=host;x-sdk-date, Signature={HASH}",
    f"SDK-HMAC-SHA256 Access=x, SignedHeaders={';' * 500}, Signature={HASH}",
    f"SDK-HMAC-SHA256 Credential=x/{DAY}/r/s/sdk_request, SignedHeaders=host;x-sdk-date, Signature={HASH}",
    f"SDK-HMAC-SHA256 Credential={'/' * 300}, SignedHeaders=host, Signature={HASH}",
)
SUBJECTS = ("", "x", "..", ".", "e30.x", "\xe4", "a" * 5000, "W10.AAAA", "=.=")


def _signature_headers(choose: random.Random) -> dict[str, str]:
    """Headers that belong to signatures, each with a value that it must not have, or none of them."""
    wrong = {
        "X-Sdk-Date": ("", "20191115T033655Z", "20191332T000000Z", "\xb2\xb2\xb2\xb2\xb2\xb2\xb2\xb2T000000Z"),
        "X-Security-Token": SUBJECTS,
        "X-Project-Id": ("", "x", "\xe4"),
        "X-Domain-Id": ("", "x"),
        "X-Sdk-Content-Sha256": ("", "UNSIGNED-PAYLOAD", HASH),
    }
    return {name: choose.choice(values) for name, values in wrong.items() if choose.random() < 0.5}


def _ids(target: Target) -> dict[str, str]:
    return {
        "project_id": target.project,
        "training_job_id": target.job_id,
        "algorithm_id": target.algorithm_id,
        "task_id": "worker-0",
        "trial_id": "0",
        "parameter_name": "lr",
        "algorithm_type": "all",
        "algorithm_name": "tpe_search",
    }


def _operations() -> Iterator[tuple[str, str, list[str], str]]:
    """Method, path, names of the query's parameters and id of every operation."""
    for document in (modelarts_openapi.load("iam"), modelarts_openapi.load("v2")):
        for path, item in document["paths"].items():
            for method, operation in item.items():
                if method in ("get", "put", "post", "delete"):
                    entries = [*item.get("parameters", []), *operation.get("parameters", [])]
                    resolved = [
                        document["components"]["parameters"][e["$ref"].rpartition("/")[2]] if "$ref" in e else e
                        for e in entries
                    ]
                    query = [entry["name"] for entry in resolved if entry["in"] == "query"]
                    yield method.upper(), path, query, operation["operationId"]


def _control_calls() -> Iterator[tuple[str, str, list[str], str]]:
    for name in ("clock", "plans", "faults"):
        yield from ((method, f"/_emulator/{name}", [], name) for method in ("GET", "POST", "POST", "DELETE"))
    yield "POST", "/_emulator/faults", [], "task failures"
    yield "GET", "/_emulator/health", [], ""


def _text(choose: random.Random) -> str:
    return choose.choice(TEXTS)[:8000].encode("utf-8", "replace").decode() or "-"


def _value(choose: random.Random) -> Any:
    return copy.deepcopy(choose.choice(choose.choice((TEXTS, TEXTS, NUMBERS, OTHERS))))


def _body(choose: random.Random, model: Any) -> bytes:
    """The body with one to three members that are wrong, and sometimes no JSON at all."""
    body = json.loads(json.dumps(model))
    if isinstance(body.get("metadata"), dict):
        body["metadata"]["name"] = f"n{choose.randrange(10**9)}"
    for _ in range(choose.randrange(4)):
        places = list(_places(body))
        if not places:
            break
        container, key = choose.choice(places)
        _spoil(choose, container, key)
    text = json.dumps(body, ensure_ascii=choose.random() < 0.5, allow_nan=True)
    content = text.encode("utf-8", "surrogatepass")
    if choose.random() < 0.05:
        content = _mutated(choose, content)
    if choose.random() < 0.02:
        content = text.encode(choose.choice(("utf-16", "utf-32", "utf-8-sig")), "surrogatepass")
    return content


def _places(node: Any) -> Iterator[tuple[Any, Any]]:
    entries = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in list(entries)[:50]:
        yield node, key
        yield from _places(value)


def _spoil(choose: random.Random, container: Any, key: Any) -> None:
    kind = choose.randrange(8)
    if kind == 0 and isinstance(container, dict):
        del container[key]
    elif kind == 1 and isinstance(container, dict):
        container[choose.choice(TEXTS)] = _value(choose)
    elif kind == 2 and isinstance(container, list):
        container.extend([container[key]] * choose.choice((1, 30)))
    elif kind == 3:
        container[key] = [container[key]]
    else:
        container[key] = _value(choose)
