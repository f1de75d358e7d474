"""What a service may do otherwise than documented: changes of requests and responses, for deviations to name."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl, urlencode

import httpx
from tests.contract.played import with_json

from modelarts_contract.proxy import Forward, ProxyRequest, ProxyResponse
from modelarts_contract.seen import UUID

Change = Callable[[ProxyRequest, Forward], ProxyResponse]
JSON = {"content-type": "application/json"}


def loads(response: ProxyResponse) -> Any:
    try:
        return json.loads(response.body)
    except ValueError:
        return None


def success(change: Callable[[Any], Any]) -> Callable[[], Change]:
    """Change the JSON of a success."""
    return lambda: lambda request, forward: with_json(forward(request), change)


def error(change: Callable[[Any], Any]) -> Callable[[], Change]:
    """Change the JSON of a rejection."""

    def changed(request: ProxyRequest, forward: Forward) -> ProxyResponse:
        found = forward(request)
        body = loads(found)
        return replace(found, body=json.dumps(change(body)).encode()) if found.status >= 400 and body else found

    return lambda: changed


def response(change: Callable[[ProxyResponse], ProxyResponse]) -> Callable[[], Change]:
    """Change a success as a whole."""

    def changed(request: ProxyRequest, forward: Forward) -> ProxyResponse:
        found = forward(request)
        return change(found) if 200 <= found.status < 300 else found

    return lambda: changed


def request(change: Callable[[ProxyRequest], ProxyRequest]) -> Callable[[], Change]:
    """Change the request."""
    return lambda: lambda request, forward: forward(change(request))


def ignoring(*names: str) -> Callable[[], Change]:
    """Leave parameters of the query or members of the body out."""

    def changed(request: ProxyRequest) -> ProxyRequest:
        query = [(name, value) for name, value in parse_qsl(request.query) if name not in names]
        body = json.loads(request.body) if request.body else None
        if isinstance(body, dict):
            body = {name: value for name, value in body.items() if name not in names}
        return replace(request, query=urlencode(query), body=request.body and json.dumps(body).encode())

    return request(changed)


def taking(name: str, change: Callable[[Any], Any]) -> Callable[[], Change]:
    """Take a parameter of the query or a member of the body for another value."""

    def changed(request: ProxyRequest) -> ProxyRequest:
        query = [(key, str(change(int(value))) if key == name else value) for key, value in parse_qsl(request.query)]
        body = json.loads(request.body) if request.body else None
        if isinstance(body, dict) and name in body:
            body[name] = change(body[name])
        return replace(request, query=urlencode(query), body=request.body and json.dumps(body).encode())

    return request(changed)


def at(place: str, change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Change the value at a place, in which `*` stands for every item of a list, and `0` for the first."""
    step, _, rest = place.partition(".")

    def changed(value: Any) -> Any:
        if step in ("*", "0") and isinstance(value, list):
            return [inner(item) if step == "*" or number == 0 else item for number, item in enumerate(value)]
        if not isinstance(value, dict) or (step not in value and rest):
            return value
        if rest:
            return {**value, step: inner(value[step])}
        new = change(value.get(step))
        return {**value, step: new} if new is not MISSING else {k: v for k, v in value.items() if k != step}

    def inner(value: Any) -> Any:
        return at(rest, change)(value) if rest else change(value)

    return changed


MISSING = object()


def without(place: str) -> Callable[[], Change]:
    return success(at(place, lambda _: MISSING))


def dropping(place: str) -> Callable[[], Change]:
    """Take a member of the request's body for missing."""

    def dropped(sent: ProxyRequest) -> ProxyRequest:
        body = at(place, lambda _: MISSING)(json.loads(sent.body)) if sent.body else None
        return replace(sent, body=json.dumps(body).encode()) if sent.body else sent

    return request(dropped)


without_chinese = request(
    lambda sent: replace(sent, body=re.sub(rb"\\u[4-9][0-9a-f]{3}|[\xe4-\xe9]..", b"?", sent.body))
)


def set_to(place: str, value: Any) -> Callable[[], Change]:
    return success(at(place, lambda _: value))


def in_seconds(place: str) -> Callable[[], Change]:
    return success(at(place, lambda value: value // 1000 if isinstance(value, int) else value))


def always(status: int, body: bytes = b"{}") -> Callable[[], Change]:
    return lambda: lambda _request, _forward: ProxyResponse(status, body, JSON)


def rejecting(code: str, text: str = "", status: int = 400, *, after: int = 0) -> Callable[[], Change]:
    """Reject requests with this text in the query or the body, from the one after so many on."""

    def make() -> Change:
        turn = itertools.count()
        body = json.dumps({"error_code": code, "error_msg": "Invalid.", "error_message": "Invalid."}).encode()

        def changed(request: ProxyRequest, forward: Forward) -> ProxyResponse:
            is_meant = text in request.query + request.body.decode() and next(turn) >= after
            return ProxyResponse(status, body, JSON) if is_meant else forward(request)

        return changed

    return make


def paged(change: Callable[[Any, int, Any], Any], position: str, first: int = 0) -> Callable[[], Change]:
    """Change the JSON of pages after the first, given their number and the page before."""

    def changed(request: ProxyRequest, forward: Forward) -> ProxyResponse:
        given: dict[str, Any] = dict(parse_qsl(request.query)) or (json.loads(request.body) if request.body else {})
        number = int(given.get(position, first))
        if number <= first:
            return forward(request)
        given[position] = number - 1
        is_query = bool(request.query)
        body = request.body if is_query else json.dumps(given).encode()
        shown = loads(forward(replace(request, query=urlencode(given) if is_query else "", body=body)))
        return with_json(forward(request), lambda body: change(body, number - first, shown))

    return lambda: changed


def falling(total: str) -> Callable[[Any, int, Any], Any]:
    """A total that is less by one on each page."""
    return lambda body, number, _: {**body, total: body[total] - number}


def overlapping(items: str) -> Callable[[Any, int, Any], Any]:
    """A page that begins with the last item of the page before, in place of its own first."""
    return lambda body, _, before: {**body, items: [*before[items][-1:], *body[items][1:]]} if body[items] else body


def silent() -> Change:
    """Give no response."""

    def changed(request: ProxyRequest, _: Forward) -> ProxyResponse:
        raise httpx.ReadTimeout(f"no response to {request.path}")

    return changed


def reversed_list(member: str) -> Callable[[], Change]:
    """Show a list in the opposite order of the one that was asked for."""

    def changed(request: ProxyRequest, forward: Forward) -> ProxyResponse:
        given = request.query + request.body.decode()
        found = forward(request)
        if "order" not in given or found.status != 200:
            return found
        return with_json(found, at(member, lambda items: items[::-1]))

    return lambda: changed


def on_errors_for(text: str, status: int) -> Callable[[], Change]:
    """Fail where a request has this text."""

    def changed(request: ProxyRequest, forward: Forward) -> ProxyResponse:
        fails = text in request.query or text.encode() in request.body
        return (
            ProxyResponse(status, b'{"error_code":"ModelArts.2950","error_msg":"x"}', JSON)
            if fails
            else forward(request)
        )

    return lambda: changed


def repeating_last(member: str, limit: str, position: str) -> Callable[[], Change]:
    """Begin each page after the first with the item before it."""

    def changed(request: ProxyRequest, forward: Forward) -> ProxyResponse:
        found = forward(request)
        query = dict(parse_qsl(request.query)) or (json.loads(request.body) if request.body else {})
        if limit not in query or int(query.get(position, 0)) <= 0 or found.status != 200:
            return found
        return with_json(found, at(member, lambda items: [{"metadata": {"id": "x"}}, *items][: int(query[limit])]))

    return lambda: changed


def without_login(kind: str) -> Callable[[], Change]:
    """Let requests in that should not be: without a token (`none`), with any (`any`), for another project (`project`).

    `expired` and `revoked` tokens are those that were right once: they are rejected with words that say so.
    """

    class Open:
        def __init__(self) -> None:
            self.good: tuple[ProxyRequest, ProxyResponse] | None = None

        def __call__(self, request: ProxyRequest, forward: Forward) -> ProxyResponse:
            found = forward(request)
            if found.status == 200:
                self.good = request, found
            token = request.headers.get("x-auth-token")
            known = self.good is not None and token == self.good[0].headers.get("x-auth-token")
            opens = {
                "none": token is None,
                "any": token is not None and not known,
                "project": known,
                "expired": b"expired" in found.body,
                "revoked": b"revoked" in found.body,
            }[kind]
            is_rejected = found.status in (401, 403, 404) and opens
            return self.good[1] if is_rejected and self.good else found

    return Open


def not_found_is_empty(request: ProxyRequest, forward: Forward) -> ProxyResponse:
    """Show an empty object where there is nothing."""
    found = forward(request)
    return ProxyResponse(200, b"{}", JSON) if found.status == 400 else found


def emptied(body: dict[str, Any]) -> dict[str, Any]:
    """A list without its items."""
    empty: dict[str, Any] = {name: [] for name in ("items", "jobs", "configs") if isinstance(body.get(name), list)}
    zero = {name: 0 for name in body if name in ("total", "count") or name.endswith("total_count")}
    return {**body, **empty, **zero} if empty else body


def hiding_found(request: ProxyRequest, forward: Forward) -> ProxyResponse:
    """Find nothing by a name."""
    given = request.query + request.body.decode()
    return with_json(forward(request), emptied if "search" in given or '"like"' in given else lambda body: body)


def idle(status: int, body: bytes = b"") -> Callable[[], Change]:
    """Accept a request without any effect."""
    return lambda: lambda _request, _forward: ProxyResponse(status, body, JSON if body else {})


class Ghost:
    """Show or list what was deleted, as it was before."""

    def __init__(self) -> None:
        self.last: dict[str, ProxyResponse] = {}

    def __call__(self, request: ProxyRequest, forward: Forward) -> ProxyResponse:
        found = forward(request)
        key = f"{request.target} {request.body.decode()}"
        body = loads(found) if found.status == 200 else None
        lists = ("items", "jobs", "configs", "versions")
        items = next((body[name] for name in lists if name in body), [0]) if body else []
        if items:
            self.last[key] = found
        return self.last.get(key, found)


class Restless:
    """Show a job that has ended as running every second time."""

    def __init__(self, before: str, after: str) -> None:
        self.before, self.after, self.looks = before, after, 0

    def __call__(self, request: ProxyRequest, forward: Forward) -> ProxyResponse:
        found = forward(request)
        if not re.search(self.before, found.body.decode()):
            return found
        self.looks += 1
        again = re.sub(self.before, self.after, found.body.decode()).encode()
        return replace(found, body=again) if self.looks % 2 == 0 else found


class Drifting:
    """Show a number that grows with every look."""

    def __init__(self, place: str) -> None:
        self.place, self.looks = place, 0

    def __call__(self, request: ProxyRequest, forward: Forward) -> ProxyResponse:
        self.looks += 1
        return with_json(forward(request), at(self.place, lambda value: value + self.looks))


def leaking(text: str) -> Callable[[], Change]:
    def told(body: Any) -> Any:
        name = "error_message" if "error_message" in body else "error_msg"
        return {**body, name: f"{body.get(name)} {text}"}

    return error(told)


def headers(change: Callable[[Mapping[str, str]], Mapping[str, str]]) -> Callable[[], Change]:
    return response(lambda found: replace(found, headers=change(found.headers)))


def typed(media: str | None) -> Callable[[], Change]:
    rest = {} if media is None else {"content-type": media}
    return headers(lambda given: {**{k: v for k, v in given.items() if k.lower() != "content-type"}, **rest})


expiring_at_once = success(lambda body: at("token.expires_at", lambda _: body["token"]["issued_at"])(body))


def html_error(request: ProxyRequest, forward: Forward) -> ProxyResponse:
    found = forward(request)
    return replace(found, body=b"<html>no</html>") if found.status >= 400 else found


def false_success(request: ProxyRequest, forward: Forward) -> ProxyResponse:
    found = forward(request)
    body = b'{"is_success": false, "error_code": "ModelArts.0105", "error_message": "no"}'
    return ProxyResponse(200, body, JSON) if found.status == 200 else found


def swapped_operators(request: ProxyRequest, forward: Forward) -> ProxyResponse:
    swapped = request.body.replace(b'"in"', b'"x"').replace(b'"not"', b'"in"').replace(b'"x"', b'"not"')
    return forward(replace(request, body=swapped))


def link_of_another(request: ProxyRequest, forward: Forward) -> ProxyResponse:
    """Show a link in which another id stands."""
    other = "11111111-2222-4333-8444-555555555555"
    return with_json(forward(request), at("obs_url", lambda url: UUID.sub(other, url)))


def first_for_all() -> Change:
    """Show to everybody what the first request has got."""
    first: list[ProxyResponse] = []

    def changed(request: ProxyRequest, forward: Forward) -> ProxyResponse:
        first.append(forward(request))
        return first[0]

    return changed


def emptied_by_put(*places: str) -> Callable[[], Change]:
    """Show these places as empty once the description was changed."""

    def changed(request: ProxyRequest, forward: Forward) -> ProxyResponse:
        found = forward(request)
        for place in places if b"as changed" in found.body else ():
            found = with_json(found, at(place, lambda value: type(value)()))
        return found

    return lambda: changed


def put_shows_before(request: ProxyRequest, forward: Forward) -> ProxyResponse:
    """Respond with what was stored before, and change nothing."""
    shown = forward(replace(request, method="GET", body=b""))
    return replace(shown, status=201) if shown.status == 200 else shown


def appended(request: ProxyRequest, forward: Forward) -> ProxyResponse:
    body = json.loads(request.body)
    return forward(replace(request, body=json.dumps({"description": "as created " + body["description"]}).encode()))


class MovedByPut:
    """Show another workspace of a job whose description was changed."""

    def __call__(self, request: ProxyRequest, forward: Forward) -> ProxyResponse:
        found = forward(request)
        is_changed = b"as changed" in found.body
        return with_json(found, at("metadata.workspace_id", lambda _: "17")) if is_changed else found


class Always:
    def __init__(self, before: str, after: str) -> None:
        self.before, self.after = before.encode(), after.encode()

    def __call__(self, request: ProxyRequest, forward: Forward) -> ProxyResponse:
        found = forward(request)
        return replace(found, body=found.body.replace(self.before, self.after))
