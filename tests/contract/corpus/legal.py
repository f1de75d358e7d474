"""What a service may do that keeps its contract: each behaviour is tried by runs, checks and the marker."""

from __future__ import annotations

import json
import re
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from email.utils import format_datetime, parsedate_to_datetime
from typing import Any

from tests.contract.corpus.changes import emptied, success
from tests.contract.corpus.wire import Form
from tests.contract.played import with_json

from modelarts_contract.documents import Documents
from modelarts_contract.exchange import Exchange
from modelarts_contract.proxy import Forward, ProxyRequest, ProxyResponse
from modelarts_contract.seen import Seen
from modelarts_documents.schema import members

__all__ = ["FORMS", "LEGAL", "Behaviour", "closed"]

JSON = {"content-type": "application/json", "retry-after": "0"}
BUSY = b'{"error_code":"APIG.0308","error_msg":"busy"}'
LAG_S = 0.6
DOCUMENTS = Documents()
Behaviour = Callable[[ProxyRequest, Forward], ProxyResponse]
DETAILS = re.compile(r"/(algorithms|training-experiments|training-jobs|training-job-configs)/[^/]+$")
NO_START = ("start_time", "node_count_metrics")
LISTS = re.compile(r"/(training-job-searches|algorithms|training-experiments|training-jobs|training-job-configs)$")


def each(change: Callable[[dict[str, Any]], dict[str, Any]]) -> Callable[[], Behaviour]:
    """Change every object of every success."""

    def changed(value: Any) -> Any:
        if isinstance(value, list):
            return [changed(item) for item in value]
        if isinstance(value, dict):
            return change({name: changed(item) for name, item in value.items()})
        return value

    return success(changed)


def headed(change: Callable[[dict[str, str]], dict[str, str]]) -> Callable[[], Behaviour]:
    """Change the headers of every response."""

    def behave(request: ProxyRequest, forward: Forward) -> ProxyResponse:
        found = forward(request)
        return replace(found, headers=change(dict(found.headers)))

    return lambda: behave


def rewritten(change: Callable[[bytes], bytes]) -> Callable[[], Behaviour]:
    """Change the text of every body."""

    def behave(request: ProxyRequest, forward: Forward) -> ProxyResponse:
        found = forward(request)
        is_json = found.body and "json" in found.headers.get("content-type", "")
        return replace(found, body=change(found.body)) if is_json else found

    return lambda: behave


def dated(offset_s: float) -> Callable[[], Behaviour]:
    def moved(headers: dict[str, str]) -> dict[str, str]:
        date = parsedate_to_datetime(headers["date"]) + timedelta(seconds=offset_s)
        return {**headers, "date": format_datetime(date.astimezone(UTC), usegmt=True)}

    return headed(lambda headers: moved(headers) if "date" in headers else headers)


def in_lists(change: Callable[[dict[str, Any]], dict[str, Any]]) -> Callable[[], Behaviour]:
    """Change every object of the lists."""
    behave = each(change)()
    return lambda: lambda request, forward: (behave if LISTS.search(request.path) else unchanged)(request, forward)


def unchanged(request: ProxyRequest, forward: Forward) -> ProxyResponse:
    return forward(request)


class Sometimes:
    """Give another response to one of so many requests; `is_done` if the request was served nevertheless."""

    def __init__(self, every: int, status: int, *, is_done: bool = False, retry_after: str = "0") -> None:
        self.every, self.status, self.is_done, self.requests = every, status, is_done, 0
        self.headers = {**JSON, "retry-after": retry_after}
        self.mutex = threading.Lock()

    def __call__(self, request: ProxyRequest, forward: Forward) -> ProxyResponse:
        with self.mutex:
            self.requests += 1
            is_now = self.requests % self.every == 0
        if is_now and self.is_done:
            forward(request)
        return ProxyResponse(self.status, BUSY, self.headers) if is_now else forward(request)


class Lagging:
    """Show lists as they were a moment ago, by what was asked."""

    def __init__(self) -> None:
        self.known: dict[str, list[tuple[float, ProxyResponse]]] = {}

    def __call__(self, request: ProxyRequest, forward: Forward) -> ProxyResponse:
        found, now = forward(request), time.monotonic()
        is_read = request.method == "GET" or "search" in request.path
        if not (is_read and LISTS.search(request.path) and found.status == 200):
            return found
        known = self.known.setdefault(re.sub(r"contract-[\w-]+", "", f"{request.target} {request.body!r}"), [])
        known.append((now, found))
        old = [response for at, response in known if now - at >= LAG_S]
        return old[-1] if old else with_json(found, emptied)


class LaggingOnce(Lagging):
    """Show what was created, changed or deleted a moment later in some places: they change only every so often."""

    def __init__(self, places: re.Pattern[str] = LISTS) -> None:
        super().__init__()
        self.places = places
        self.snapshots: dict[str, tuple[float, ProxyResponse]] = {}

    def __call__(self, request: ProxyRequest, forward: Forward) -> ProxyResponse:
        found, now = forward(request), time.monotonic()
        is_read = request.method == "GET" or "search" in request.path
        if not (is_read and self.places.search(request.path) and found.status == 200):
            return found
        taken, snapshot = self.snapshots.get(key := f"{request.target} {request.body!r}", (0.0, found))
        if now - taken >= LAG_S:
            self.snapshots[key] = now, found
            return found
        return snapshot


def with_new_values(value: dict[str, Any]) -> dict[str, Any]:
    """Show values that open lists of values do not have."""
    known = {
        "level": "message",
        "source": "message",
        "metric": "value",
        "resource": "quota",
        "secondary_phase": "phase",
    }
    return {name: f"Novel{item}" if known.get(name) in value else item for name, item in value.items()}


class Preparing:
    """Show a phase that is new the first times that a job is asked for."""

    def __init__(self) -> None:
        self.looks: Counter[str] = Counter()

    def __call__(self, request: ProxyRequest, forward: Forward) -> ProxyResponse:
        found = forward(request)
        self.looks[request.path] += 1
        is_early = request.method == "GET" and self.looks[request.path] < 5
        return (
            replace(found, body=re.sub(rb'"phase": ?"Creating"', b'"phase":"Preparing"', found.body))
            if is_early
            else found
        )


def with_blank_lines(value: dict[str, Any]) -> dict[str, Any]:
    """Show a log that has an empty line, and bytes that are no text."""
    content = value.get("content")
    if content and "current_size" in value:
        sizes = {name: value[name] + 3 for name in ("current_size", "full_size")}
        return {**value, **sizes, "content": f"{content}\n\n\ufffd"}
    if content and "lines" in value:
        return {**value, "content": content + "\n" * (1 + ("is_success" in value)), "lines": int(value["lines"]) + 1}
    return value


def resolved(value: dict[str, Any]) -> dict[str, Any]:
    """Show what a service was seen to show otherwise than it was sent."""
    if "annotations" in value:
        value = {**value, "annotations": {"by": "service"}}
    return {**value, "inputs": None} if "code_dir" in value and "environments" in value else value


def in_whole_seconds(value: dict[str, Any]) -> dict[str, Any]:
    """Round some times."""
    times = {name: value[name] for name in ("start_time", "update_time") if isinstance(value.get(name), int)}
    return {**value, **{name: time_ms // 1000 * 1000 for name, time_ms in times.items()}}


def created_in_whole_seconds(value: dict[str, Any]) -> dict[str, Any]:
    created_ms = value.get("create_time")
    return {**value, "create_time": created_ms // 1000 * 1000} if isinstance(created_ms, int) else value


def counted_later(value: dict[str, Any]) -> dict[str, Any]:
    """Count the nodes of a job some seconds after its start."""
    counts = value.get("node_count_metrics") or []
    return {**value, "node_count_metrics": [[at_ms + 5000, nodes] for at_ms, nodes in counts]} if counts else value


def counting_all_algorithms(request: ProxyRequest, forward: Forward) -> ProxyResponse:
    """Count all algorithms where those of the page are assumed to be counted."""
    found = forward(request)
    is_list = request.method == "GET" and request.path.endswith("/algorithms") and found.status == 200
    return with_json(found, lambda body: {**body, "count": body["total"]}) if is_list else found


def of_several_cores(value: dict[str, Any]) -> dict[str, Any]:
    is_use = value.get("metric") == "cpuUsage"
    return {**value, "value": [max(each, each * 40) for each in value["value"]]} if is_use else value


def without_start(value: dict[str, Any]) -> dict[str, Any]:
    """Show no start of a job that waits, or that has failed."""
    is_meant = value.get("phase") in ("Creating", "Pending", "Failed")
    return {name: item for name, item in value.items() if not is_meant or name not in NO_START}


def with_new_members(value: dict[str, Any]) -> dict[str, Any]:
    """Add a member to what is not a map of texts."""
    is_map = all(isinstance(item, str) for item in value.values())
    return value if is_map else {**value, "x_new": {"of": [1]}}


def in_zone(text: bytes) -> bytes:
    """Write times with another offset, for the same moment."""
    east = timezone(timedelta(hours=8))
    form = rb"(20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?(?:\+00:00|Z)"

    def moved(found: re.Match[bytes]) -> bytes:
        moment = datetime.fromisoformat(found[1].decode() + "+00:00").astimezone(east)
        return moment.isoformat().replace("+08:00", (found[2] or b"").decode() + "+08:00").encode()

    return re.sub(form, moved, text)


def by_schema(
    change: Callable[[dict[str, list[Any]], set[str], dict[str, Any]], dict[str, Any]],
) -> Callable[[], Behaviour]:
    """Change every object of every success, given the schemas that describe it and the members that it must have."""

    def behave(request: ProxyRequest, forward: Forward) -> ProxyResponse:
        found = forward(request)
        seen = Seen.of(
            Exchange(request.method, f"http://x{request.path}", found.status, {}, b"", {}, found.body), DOCUMENTS
        )
        if seen is None or seen.schema is None or found.status >= 300:
            return found

        for place in seen.places:
            if isinstance(place.value, dict):
                needed = {name for part in place.parts for name in part.schema.get("required", ())}
                names = dict.fromkeys(name for part in place.parts for name in part.schema.get("properties", ()))
                described = {name: members(seen.operation.document, place.parts, name) for name in names}
                types = {name: [part.schema for part in parts] for name, parts in described.items()}
                kept = change(types, needed, dict(place.value))
                place.value.clear()
                place.value.update(kept)
        return replace(found, body=json.dumps(seen.shown).encode())

    return lambda: behave


def allows(types: dict[str, list[Any]], name: str, kind: str) -> bool:
    """Whether a member may be of this type."""
    return any(kind in branch.get("type", ()) for branch in types.get(name, ()))


def without_null(_: dict[str, list[Any]], needed: set[str], value: dict[str, Any]) -> dict[str, Any]:
    """Leave out what is null, where the document does not demand it."""
    return {name: item for name, item in value.items() if item is not None or name in needed}


def with_null(types: dict[str, list[Any]], _: set[str], value: dict[str, Any]) -> dict[str, Any]:
    """Show what is not there as null, where the document allows it."""
    return {**{name: None for name in types if allows(types, name, "null")}, **value}


def with_empty_texts(types: dict[str, list[Any]], _: set[str], value: dict[str, Any]) -> dict[str, Any]:
    """Show texts that are not there as empty ones."""
    is_empty = {name for name, item in value.items() if item is None and types.get(name, [{}])[0].get("type") == TEXT}
    return {name: "" if name in is_empty else item for name, item in value.items()}


TEXT = ["string", "null"]


def slow(request: ProxyRequest, forward: Forward) -> ProxyResponse:
    time.sleep(0.02)
    return forward(request)


def other_words(request: ProxyRequest, forward: Forward) -> ProxyResponse:
    """Say the same errors in other words."""
    found = forward(request)
    if found.status < 400 or b"error_m" not in found.body:
        return found
    body = json.loads(found.body)
    return replace(
        found, body=json.dumps({k: "请求无效 é" if k.startswith("error_m") else v for k, v in body.items()}).encode()
    )


def with_status_200(request: ProxyRequest, forward: Forward) -> ProxyResponse:
    """Send errors of version 1 as a success, by their bodies alone."""
    found = forward(request)
    if found.status not in (400, 404) or "/v1/" not in request.path or b"error_message" not in found.body:
        return found
    return replace(found, status=200, body=json.dumps({"is_success": False, **json.loads(found.body)}).encode())


def closed(
    part: str, status: int, code: str, method: str = "", text: str = "Not for this account"
) -> Callable[[], Behaviour]:
    """Reject the requests to one path, of this method if one is given."""
    body = json.dumps({"error_code": code, "error_msg": text}).encode()

    def behave(request: ProxyRequest, forward: Forward) -> ProxyResponse:
        is_closed = part in request.path and request.method.startswith(method)
        return ProxyResponse(status, body, JSON) if is_closed else forward(request)

    return lambda: behave


def created_as_texts(request: ProxyRequest, forward: Forward) -> ProxyResponse:
    """Show the numbers of a job that is created as texts, as its page prints it."""
    found = forward(request)
    if request.method != "POST" or not request.path.endswith("/training-jobs") or "/v1/" not in request.path:
        return found
    return replace(found, body=re.sub(rb'("(?:\w+_id|status|create_time)": ?)(\d+)', rb'\1"\2"', found.body))


COOKIE = {
    "set-cookie": "a=b; Path=/",
    "etag": '"x"',
    "vary": "accept",
    "x-trace": "1",
    "strict-transport-security": "max-age=1",
}

LEGAL: dict[str, Callable[[], Behaviour]] = {
    "nothing else": lambda: unchanged,
    "more headers": headed(lambda headers: {**headers, **COOKIE}),
    "a media type with a charset, in other case": headed(
        lambda headers: (
            {
                **headers,
                "content-type": headers["content-type"].replace("application/json", "Application/JSON; Charset=UTF-8"),
            }
            if "content-type" in headers
            else headers
        )
    ),
    "no Date": headed(lambda headers: {name: value for name, value in headers.items() if name != "date"}),
    "a clock that is 5 s behind": dated(-5),
    "a clock that is 5 s ahead": dated(5),
    "members that are new": each(with_new_members),
    "members in another order": each(lambda value: dict(reversed(value.items()))),
    "white space": rewritten(lambda body: json.dumps(json.loads(body), indent=3).encode() + b"\r\n"),
    "escaped characters": rewritten(
        lambda body: json.dumps(json.loads(body), ensure_ascii=True).replace("/", "\\/").encode()
    ),
    "plain characters": rewritten(lambda body: json.dumps(json.loads(body), ensure_ascii=False).encode()),
    "absent for null": by_schema(without_null),
    "null for absent": by_schema(with_null),
    "empty texts for null": by_schema(with_empty_texts),
    "new values of open lists": each(with_new_values),
    "a phase that is new comes first": Preparing,
    "logs with empty lines, and bytes that are no text": each(with_blank_lines),
    "inputs and annotations that the service resolves": each(resolved),
    "times in whole seconds": each(in_whole_seconds),
    "creations in whole seconds, in lists only": in_lists(created_in_whole_seconds),
    "nodes that are counted later": each(counted_later),
    "a count of all algorithms": lambda: counting_all_algorithms,
    "use of several cores": each(of_several_cores),
    "ids and times as texts where a job is created": lambda: created_as_texts,
    "jobs without a start": each(without_start),
    "maps of an environment in a list": each(
        lambda value: (
            {**value, "environments": [{key: item} for key, item in value["environments"].items()]}
            if isinstance(value.get("environments"), dict)
            else value
        )
    ),
    "cores as numbers": rewritten(lambda body: re.sub(rb'("version_id".*?"core": ?)"(\d+)"', rb"\1\2", body)),
    "nanoseconds": rewritten(lambda body: re.sub(rb"(T\d\d:\d\d:\d\d)(\.\d+)?(Z|\+00:00)", rb"\1.123456789Z", body)),
    "numbers with a fraction of zero": rewritten(
        lambda body: re.sub(rb'("(?:cpuUsage|progress|reward)": ?\d+)([,}])', rb"\1.0\2", body)
    ),
    "times with another offset": rewritten(in_zone),
    "other words of errors": lambda: other_words,
    "errors of version 1 with status 200": lambda: with_status_200,
    "slow responses": lambda: slow,
    "429 for one of five": lambda: Sometimes(5, 429),
    "429 for one of three": lambda: Sometimes(3, 429),
    "429 after the request was served": lambda: Sometimes(11, 429, is_done=True),
    "503 for one of twenty": lambda: Sometimes(20, 503),
    "502 after the request was served": lambda: Sometimes(23, 502, is_done=True),
    "429 that names a date": lambda: Sometimes(60, 429, retry_after="Fri, 31 Dec 1999 23:59:59 GMT"),
    "lists that lag": LaggingOnce,
    "lists that lag from the first": Lagging,
    "details that lag": lambda: LaggingOnce(DETAILS),
    "403 for the creation of experiments": closed("/training-experiments", 403, "ModelArts.0108", "POST"),
    "403 for one operation": closed("/training-quotas", 403, "APIG.0302"),
    "404 for an operation that is not published": closed("/training-job-flavors", 404, "APIG.0101"),
}
DISTURBING = [name for name in LEGAL if re.search(r"^\d\d\d |lag|slow|nothing", name)]
CONTENT = [name for name in LEGAL if name not in DISTURBING]

FORMS: dict[str, Form] = {
    "headers in upper case": Form(str.upper),
    "headers in lower case": Form(str.lower),
    "chunks": Form(chunked=True),
    "gzip": Form(zipped=True),
    "gzip in chunks": Form(zipped=True, chunked=True),
    "connections that close": Form(closes=True),
    "HTTP/1.0": Form(http_1_0=True),
    "bodies in parts": Form(chunked=True, pause_s=0.003),
    "one of thirty is reset": Form(reset_every=31),
    "one of ten is reset": Form(reset_every=10),
    "resets after the request was served": Form(reset_every=29, is_served_first=True),
}
