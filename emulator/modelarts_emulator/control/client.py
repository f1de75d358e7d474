"""A client of the control API of an emulator, and `RecordedCall`, which it returns."""

from __future__ import annotations

import builtins
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from modelarts_emulator.errors import EmulatorError
from modelarts_emulator.storage.names import parse_obs_url

if TYPE_CHECKING:  # what talks to an emulator needs no store
    from modelarts_emulator.storage.protocol import Store

BAD_REQUEST = 400


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """A call of an operation, by the name that the operation has in its document.

    `status` is None if the connection was closed instead of a response. Secrets are "***" in headers and texts.
    `started_at_s` is the real time in seconds since 1970, whatever the emulator's clock says.
    `is_truncated`: a body was longer than what is kept of it, 64 kB, or the request was not sent to its end.
    """

    operation: str
    document: str
    method: str
    path: str
    query_string: str
    status: int | None
    request_headers: Mapping[str, str] = field(repr=False)
    request_text: str = field(repr=False)
    response_headers: Mapping[str, str] = field(repr=False)
    response_text: str = field(repr=False)
    started_at_s: float = 0.0
    duration_s: float = 0.0
    is_truncated: bool = False

    @property
    def query(self) -> dict[str, str]:
        """The parameters of the query."""
        return dict(parse_qsl(self.query_string, keep_blank_values=True))

    @property
    def body(self) -> Any:
        """The JSON of the request; None if it has none."""
        return _json(self.request_text)

    @property
    def response(self) -> Any:
        """The JSON of the response; None if it has none."""
        return _json(self.response_text)


class ControlClient:
    """Sends requests to the control API at `endpoint`, with its token; from any thread but the emulator's own.

    `timeout_s` limits each wait for the emulator; without it, waits have no limit.
    """

    def __init__(self, endpoint: str, token: str, timeout_s: float | None = None) -> None:
        self._endpoint = endpoint
        self._headers = {"Authorization": f"Bearer {token}"}
        self._timeout_s = timeout_s

    def request(self, method: str, path: str, body: Any = None, **query: str | None) -> Any:
        """The JSON of the response, None if it has none.

        Raises ValueError for a wrong request (400), EmulatorError for any other error, or without a response.
        """
        import http.client  # an emulator that starts needs no client

        given = urlencode({name: value for name, value in query.items() if value is not None})
        target = f"/_emulator/{path}" + (f"?{given}" if given else "")
        try:
            content = None if body is None else json.dumps(body, allow_nan=False).encode()
        except ValueError:
            raise ValueError("a number must be finite: JSON has neither NaN nor infinity") from None
        connection = http.client.HTTPConnection(urlsplit(self._endpoint).netloc, timeout=self._timeout_s)
        try:
            connection.request(method, target, content, self._headers)
            response = connection.getresponse()
            text = response.read().decode("utf-8", "replace")
        except (OSError, http.client.HTTPException) as error:
            raise EmulatorError(f"no response from {self._endpoint}: {error}") from None
        finally:
            connection.close()
        if response.status >= BAD_REQUEST:
            found = _json(text)
            message = found.get("error_msg") if isinstance(found, dict) else None
            kind = ValueError if response.status == BAD_REQUEST else EmulatorError
            raise kind(message or f"{response.status} {text[:200]}")
        return json.loads(text) if text else None


class ClockControl:
    """Moves the emulator's clock; each call returns when all has happened.

    Moving raises EmulatorError unless jobs are simulated, and ValueError for a time that cannot be.
    """

    def __init__(self, client: ControlClient) -> None:
        self._client = client

    @property
    def now(self) -> float:
        """Seconds since 1970."""
        return float(self._client.request("GET", "clock")["now"])

    @property
    def is_frozen(self) -> bool:
        """Whether the clock is frozen."""
        return bool(self._client.request("GET", "clock")["frozen"])

    def freeze(self) -> None:
        """Let time stand still, at the next whole second."""
        self._client.request("POST", "clock", {"freeze": True})

    def resume(self) -> None:
        """Let time pass again."""
        self._client.request("POST", "clock", {"resume": True})

    def advance(self, seconds: float) -> None:
        """Let this much time pass at once, and everything happen that happens in it."""
        self._client.request("POST", "clock", {"advance": seconds})

    def advance_to(self, moment: float) -> None:
        """Make it this moment, in seconds since 1970."""
        self._client.request("POST", "clock", {"to": moment})


class RuleControl:
    """Adds, lists and clears the faults in place, or the plans of simulated jobs, by `/_emulator/<kind>`."""

    def __init__(self, client: ControlClient, kind: str) -> None:
        self._client = client
        self._kind = kind

    def add(self, **members: Any) -> dict[str, Any]:
        """Put one in place and show it; `members` are those of the body, a ValueError says what is wrong."""
        return dict(self._client.request("POST", self._kind, members))

    def list(self) -> list[dict[str, Any]]:
        """All, oldest first; of faults with how many calls each has seen (`calls`) and changed (`applied`)."""
        return list(self._client.request("GET", self._kind)[self._kind])

    def clear(self) -> None:
        """Remove all; jobs that have started keep their plans."""
        self._client.request("DELETE", self._kind)


class CallControl:
    """Lists and clears recorded calls, by `/_emulator/calls`; ValueError if calls are not recorded."""

    def __init__(self, client: ControlClient) -> None:
        self._client = client

    def list(self, operation: str | None = None, document: str | None = None) -> builtins.list[RecordedCall]:
        """The newest calls, oldest first: all, or those of one operation (`createTrainingJob`) or document (`v2`).

        Raises ValueError for a name that no operation or document has.
        """
        views = self._client.request("GET", "calls", operation=operation, document=document)["calls"]
        names = [member.name for member in fields(RecordedCall)]
        return [RecordedCall(**{name: view[name] for name in names}) for view in views]

    def clear(self) -> None:
        """Forget all calls."""
        self._client.request("DELETE", "calls")


class ObjectControl:
    """Reads and writes objects of a store without credentials, by their OBS paths: `obs://bucket/key`.

    All methods raise ValueError for another form of path, and StoreError for what the store cannot do.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    def put(self, url: str, content: bytes | str = b"") -> None:
        """Write an object, a text in UTF-8; create its bucket if it is missing."""
        bucket, key = parse_obs_url(url)
        if not self._store.has_bucket(bucket):
            self._store.create_bucket(bucket)
        self._store.put(bucket, key, content.encode() if isinstance(content, str) else content)

    def get(self, url: str) -> bytes:
        """Read an object; raises NoSuchBucket or NoSuchKey."""
        return self._store.read(*parse_obs_url(url))

    def list(self, url: str) -> list[str]:
        """The OBS paths of all objects whose path begins with this one, sorted; raises NoSuchBucket."""
        bucket, prefix = parse_obs_url(url)
        return [f"obs://{bucket}/{key}" for key, _ in self._store.sizes(bucket, prefix)]


def _json(text: str) -> Any:
    """None for what is not JSON."""
    try:
        return json.loads(text) if text else None
    except (ValueError, RecursionError):
        return None
