"""What a block of options does to the calls within it, and what it shows of their responses."""

from __future__ import annotations

import asyncio
import contextvars
import copy
import math
import threading
from collections.abc import Callable, Coroutine, Generator
from typing import Any, cast

import h11
import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from modelarts_api import v2
from modelarts_api.client import Call, Client
from modelarts_api.errors import NotFound
from modelarts_runtime.options import KEPT

TOKEN = "token-of-a-user"


class Service:
    """Counts the requests, and returns the number of each as its id; pages have one job each."""

    def __init__(self, jobs: int = 3) -> None:
        self.requests: list[httpx.Request] = []
        self.jobs = jobs
        self.client = self.another()

    def another(self) -> Client:
        """A client of this service."""
        both = {"transport": httpx.MockTransport(self)}
        return Client("https://x.example", headers={"X-Auth-Token": TOKEN, "X-Kept": "yes"}, httpx_args=both)

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        number = len(self.requests)
        if request.url.path.endswith("/gone"):
            return httpx.Response(404, headers={"X-Request-Id": "of-gone"}, json={"error_code": "ModelArts.2775"})
        items = [{"kind": "job", "metadata": {"id": f"job-{number}"}}] if number <= self.jobs else []
        body = {"metadata": {"id": "j"}, "items": items, "total": self.jobs, "request_id": f"body-{number}"}
        return httpx.Response(200, headers={"X-Request-Id": str(number)}, json=body)

    def timeouts(self) -> list[Any]:
        return [request.extensions["timeout"]["read"] for request in self.requests]

    def traces(self) -> list[str | None]:
        return [request.headers.get("X-Trace") for request in self.requests]


@pytest.fixture
def service() -> Service:
    return Service()


Get = Callable[..., Any]


@pytest.fixture(params=["sync", "async"])
def in_world(request: pytest.FixtureRequest) -> Callable[[Callable[[Get], Coroutine[Any, Any, Any]]], Any]:
    """Runs a test written once; its `get(client)` is a call of the synchronous or of the asynchronous world."""

    async def get(client: Client, job: str = "a") -> Any:
        if request.param == "async":
            return await v2.AsyncApi(client, "p").training_jobs.show_training_job_details(job)
        return v2.Api(client, "p").training_jobs.show_training_job_details(job)

    return lambda work: asyncio.run(work(get))


def test_a_block_gives_its_calls_a_timeout_and_headers_and_keeps_the_response(service, in_world):
    """Calls before and after it have neither; headers of the client stay."""

    async def work(get: Get) -> Call:
        await get(service.client)
        with service.client.options(timeout=5, headers={"X-Trace": "a"}) as call:
            assert (await get(service.client)).metadata.id == "j"
        await get(service.client)
        return call

    call = in_world(work)

    assert service.timeouts() == [30.0, 5, 30.0]
    assert service.traces() == [None, "a", None]
    assert {request.headers["X-Kept"] for request in service.requests} == {"yes"}
    assert (call.response.status_code, call.response.headers["x-request-id"], call.request_id) == (200, "2", "2")
    assert call.response.json()["metadata"] == {"id": "j"}
    assert call.response.request.headers["X-Trace"] == "a"
    assert call.responses == (call.response,)


def test_a_rejected_call_leaves_its_response(service, in_world):
    async def work(get: Get) -> Call:
        with pytest.raises(NotFound) as caught, service.client.options() as call:
            await get(service.client, "gone")
        assert caught.value.request_id == call.request_id
        return call

    call = in_world(work)

    assert (call.response.status_code, call.request_id) == (404, "of-gone")


def test_the_request_id_is_read_from_the_body_where_no_header_has_it():
    bare = httpx.MockTransport(lambda _: httpx.Response(200, json={"request_id": 7}))
    client = Client("https://x.example", httpx_args={"transport": bare})

    with client.options() as call:
        client.request("GET", "/a")

    assert call.request_id == "7"


def test_the_inner_block_wins_and_headers_of_both_are_sent(service, in_world):
    """What the inner one leaves out is that of the outer one; both have the response."""

    async def work(get: Get) -> tuple[Call, Call]:
        with service.client.options(timeout=9, headers={"X-Trace": "a", "X-Outer": "1"}) as outer:
            with service.client.options(timeout=None, headers={"x-trace": "b"}) as inner:
                await get(service.client)
            with service.client.options():
                await get(service.client)
        return outer, inner

    outer, inner = in_world(work)

    assert service.timeouts() == [None, 9]
    assert service.traces() == ["b", "a"]
    assert [request.headers["X-Outer"] for request in service.requests] == ["1", "1"]
    assert [each.headers["x-request-id"] for each in outer.responses] == ["1", "2"]
    assert inner.request_id == "1"


NAMES = st.sampled_from(["X-A", "x-a", "X-B", "x-B", "User-Agent", "X-Language", "x-kept"])
HEADERS = st.dictionaries(NAMES, st.text("ab 9", max_size=3).map(str.strip))


OWN = st.dictionaries(st.sampled_from(["x-a", "X-B", "X-Language"]), st.just("own"))


@given(blocks=st.lists(HEADERS, max_size=4), own=OWN)
def test_each_name_has_the_value_of_the_innermost_block_that_gives_it(blocks, own):
    """Whatever the case of letters; a call's own headers count as the innermost."""
    service = Service()

    def within(rest: list[dict[str, str]]) -> None:
        if not rest:
            service.client.request("GET", "/a", headers=own)
            return
        with service.client.options(headers=rest[0]):
            within(rest[1:])

    within(blocks)

    expected: dict[str, str] = {"x-kept": "yes"}
    for headers in [*blocks, own]:
        expected |= {name.lower(): value for name, value in headers.items()}
    [request] = service.requests
    sent = [(name.lower().decode(), value.decode()) for name, value in request.headers.raw]
    assert sorted(pair for pair in sent if pair[0] in expected) == sorted(expected.items())


def test_arguments_of_a_call_win_over_the_options_around_it(service):
    with service.client.options(timeout=5, headers={"X-Trace": "a"}):
        service.client.request("GET", "/a", timeout=7, headers={"x-trace": "b"})

    assert (service.timeouts(), service.traces()) == ([7], ["b"])


def test_options_belong_to_the_client_that_was_asked(service, in_world):
    """Blocks of two clients may overlap."""
    other = service.another()

    async def work(get: Get) -> list[Call]:
        with service.client.options(timeout=5, headers={"X-Trace": "a"}) as call:
            await get(other)
            with other.options(headers={"X-Trace": "b"}) as others:
                await get(other)
                await get(service.client)
        return [call, others]

    call, others = in_world(work)

    assert service.timeouts() == [30.0, 30.0, 5]
    assert service.traces() == [None, "b", "a"]
    assert ([call.request_id], [others.request_id]) == (["3"], ["2"])


@pytest.mark.parametrize("is_async", [False, True])
def test_pages_of_an_iterator_have_the_options_of_where_they_are_requested(service, is_async):
    """One made outside of a block included; `response` is that of the newest page, `responses` has all."""

    async def ids() -> tuple[list[str], Call, Call]:
        if is_async:
            pages = v2.AsyncApi(service.client, "p").training_jobs.iter_training_jobs({"limit": 1})

            async def following() -> str:
                return (await anext(pages)).metadata.id
        else:
            listed = v2.Api(service.client, "p").training_jobs.iter_training_jobs({"limit": 1})

            async def following() -> str:
                return next(listed).metadata.id

        found = [await following()]
        with service.client.options(timeout=5) as second:
            found.append(await following())
        with service.client.options(headers={"X-Trace": "c"}) as third:
            found.append(await following())
        return found, second, third

    found, second, third = asyncio.run(ids())

    assert found == ["job-1", "job-2", "job-3"]
    assert service.timeouts() == [30.0, 5, 30.0]
    assert service.traces() == [None, None, "c"]
    assert (second.request_id, third.request_id) == ("2", "3")


def test_the_last_hundred_responses_of_a_block_are_kept():
    service = Service(jobs=KEPT + 5)

    with service.client.options() as call:
        jobs = list(v2.Api(service.client, "p").training_jobs.iter_training_jobs({"limit": 1}))

    assert len(jobs) == KEPT + 5
    assert [each.headers["X-Request-Id"] for each in call.responses] == [str(6 + n) for n in range(KEPT)]


def test_tasks_have_the_options_of_where_they_began_and_disturb_nobody(service):
    api = v2.AsyncApi(service.client, "p").training_jobs
    seen: dict[str, str | None] = {}

    async def one(name: str) -> None:
        with service.client.options(headers={"X-Trace": name}) as call:
            await asyncio.sleep(0)
            await api.show_training_job_details("a")
            await asyncio.sleep(0)
        seen[name] = call.response.request.headers["X-Trace"]

    async def run() -> tuple[Call, list[str | None]]:
        await asyncio.gather(*(one(f"t{n}") for n in range(9)))
        with service.client.options(headers={"X-Trace": "inherited"}) as call:
            task = asyncio.create_task(api.show_training_job_details("a"))
        await task  # begins after the block
        await asyncio.wait_for(api.show_training_job_details("a"), 5)
        return call, service.traces()[-2:]

    call, traces = asyncio.run(run())

    assert seen == {f"t{n}": f"t{n}" for n in range(9)}
    assert traces == ["inherited", None]
    assert call.request_id == "10"


def test_threads_have_their_own_blocks(service):
    """A new thread begins without any; `asyncio.to_thread` and a copied context carry them."""
    get = lambda: service.client.request("GET", "/a")  # noqa: E731
    barrier = threading.Barrier(8)
    wrong: list[str] = []

    def one(name: str) -> None:
        with service.client.options(headers={"X-Trace": name}) as call:
            barrier.wait()
            get()
            barrier.wait()
            if [call.response.request.headers["X-Trace"]] * len(call.responses) != [name]:
                wrong.append(name)

    threads = [threading.Thread(target=one, args=[f"t{n}"]) for n in range(8)]
    with service.client.options(headers={"X-Trace": "outer"}) as outer:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert (wrong, outer.responses) == ([], ())
        plain = threading.Thread(target=get)
        carried = threading.Thread(target=contextvars.copy_context().run, args=[get])
        for thread in (plain, carried):
            thread.start()
            thread.join()

        async def run() -> None:
            await asyncio.to_thread(get)

        asyncio.run(run())

    assert service.traces()[8:] == [None, "outer", "outer"]
    assert len(outer.responses) == 2


@pytest.mark.parametrize(
    ("timeout", "error"),
    [
        *((value, ValueError) for value in (0, -1, -0.5, math.nan, math.inf, 1e10, 10**400, httpx.Timeout(0))),
        *((httpx.Timeout(5, read=value), ValueError) for value in (-1, math.nan)),
        *((value, TypeError) for value in ("5", b"5", True, [5], (5, 5, 5, 5), {"read": 5})),
        (httpx.Timeout(cast("float", "5")), TypeError),
    ],
)
def test_a_timeout_that_is_none_is_rejected_where_it_is_given(service, timeout, error):
    with pytest.raises(error, match=r"^timeout must be "):
        service.client.options(timeout=timeout)


@pytest.mark.parametrize("timeout", [1, 0.001, 9e9, httpx.Timeout(5, connect=None), httpx.Timeout(None)])
def test_every_other_timeout_reaches_the_network(service, timeout):
    with service.client.options(timeout=timeout):
        service.client.request("GET", "/a")

    assert service.requests[0].extensions["timeout"] == httpx.Timeout(timeout).as_dict()


@pytest.mark.parametrize(
    "name",
    [
        "authorization",
        "Proxy-Authorization",
        "X-Auth-Token",
        "x-subject-token",
        "X-SECURITY-TOKEN",
        "X-Project-Id",
        "X-Domain-Id",
        "X-Sdk-Date",
        "x-sdk-content-sha256",
        "Host",
        "Connection",
        "TE",
        "Trailer",
        "Transfer-Encoding",
        "Upgrade",
        "Expect",
        "Content-Type",
        "Content-Length",
        "content-encoding",
    ],
)
def test_headers_of_logins_and_bodies_are_rejected_by_their_name(service, name):
    with pytest.raises(ValueError, match=rf"^header '{name}' is set by the login or the request itself") as caught:
        service.client.options(headers={"X-A": "a", name: "SECRET"})

    assert "SECRET" not in str(caught.value)


UNSENDABLE = st.characters(blacklist_categories=["Cs"]).filter(lambda c: not (" " <= c <= "~" or c == "\t"))


@given(value=st.builds("SECRET{}{}".format, UNSENDABLE, st.sampled_from(["", "SECRET", "\n"])))
def test_a_value_that_cannot_be_sent_is_rejected_without_being_shown(value):
    """Line ends, other controls, and letters beyond ASCII."""
    with pytest.raises(ValueError, match=r"^the value of header 'X-Trace' must be") as caught:
        Service().client.options(headers={"X-Trace": value})

    assert "SECRET" not in str(caught.value)


@given(value=st.text(st.sampled_from(["a", "~", "!", " ", "\t", "\r", "\n", "\0", "\x7f", "é"])))
def test_a_value_that_is_accepted_is_one_that_the_http_library_sends(value):
    """And every printable one is accepted, with spaces and tabs within it."""
    is_printable = value.isascii() and value == value.strip() and value.replace("\t", " ").isprintable()
    if not is_printable:
        with pytest.raises(ValueError, match="printable ASCII"):
            Service().client.options(headers={"X-Trace": value})
        return

    Service().client.options(headers={"X-Trace": value})
    h11.Request(method="GET", target="/", headers=[("Host", "a"), ("X-Trace", value)])


@pytest.mark.parametrize("name", ["", "X Trace", "X-Trace:", "X-Trace\r\n", "X-Tré", "Authorization: Bearer SECRET"])
def test_a_name_that_is_none_is_rejected_without_being_shown(service, name):
    with pytest.raises(ValueError, match=r"^a header's name must have") as caught:
        service.client.options(headers={name: "SECRET"})

    assert "SECRET" not in str(caught.value)


@pytest.mark.parametrize("headers", [[("X-A", "SECRET")], "X-A: SECRET", {"X-A": 5}, {"X-A": b"SECRET"}, {"X-A": None}])
def test_headers_of_another_type_are_rejected(service, headers):
    with pytest.raises(TypeError, match="must be a") as caught:
        service.client.options(headers=headers)

    assert "SECRET" not in str(caught.value)


def test_no_repr_shows_a_secret(in_world):
    """Neither the token of the client, nor one in a response; that one can be read by its name."""
    other = httpx.MockTransport(lambda _: httpx.Response(200, headers={"X-Subject-Token": "NEW"}, json={}))
    client = Client("https://x.example", headers={"X-Auth-Token": TOKEN}, httpx_args={"transport": other})

    async def work(get: Get) -> Call:
        with client.options(headers={"X-Api-Key": "KEY"}) as call:
            await get(client)
        return call

    call = in_world(work)
    response = call.response

    shown = repr([call, response, response.headers, response.request, response.request.headers, vars(response)])
    assert TOKEN not in repr([shown, [*response.request.headers.items()], copy.copy(response.request.headers)])
    assert "NEW" not in shown
    assert response.headers["X-Subject-Token"] == "NEW"


def test_no_error_shows_a_secret_header_of_a_block():
    """A library below may repeat what it was given."""

    def broken(request: httpx.Request) -> httpx.Response:
        raise httpx.ReadError(f"lost after {request.headers['X-Api-Secret']}")

    client = Client("https://x.example", httpx_args={"transport": httpx.MockTransport(broken)})

    with pytest.raises(httpx.ReadError) as caught, client.options(headers={"X-Api-Secret": "S3cret-of-a-gateway"}):
        client.request("GET", "/a")

    assert "S3cret" not in repr([caught.value, str(caught.value)])


def test_a_login_within_the_call_leaves_nothing_in_its_response():
    """httpx puts it into the history of a response, with the password."""

    class Login(httpx.Auth):
        requires_response_body = True

        def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
            yield httpx.Request("POST", "https://x.example/login", json={"password": "SECRET"})
            yield request

    service = Service()
    transport = httpx.MockTransport(service)
    client = Client("https://x.example", httpx_args={"transport": transport, "auth": Login()})

    with client.options(headers={"X-Trace": "a"}) as call:
        answered = client.request("GET", "/a")

    assert len(answered.history) == 1
    assert (call.response.history, len(call.responses)) == ([], 1)
    assert service.traces() == [None, "a"]


def test_a_response_that_is_not_there_is_an_error_with_a_remedy(service):
    other = service.another()
    with service.client.options() as call:
        other.request("GET", "/a")

    for read in (lambda: call.response, lambda: call.request_id):
        with pytest.raises(RuntimeError, match="no call of this client had a response in the block: make one there"):
            read()
    assert call.responses == ()


def test_options_are_good_for_one_block(service):
    call = service.client.options()
    with call:
        pass

    with pytest.raises(RuntimeError, match=r"call options\(\.\.\.\) anew"), call:
        pass


def test_a_block_ends_where_a_generator_is_closed_by_another_context(service):
    def generator() -> Generator[None, None, None]:
        with service.client.options(headers={"X-Trace": "a"}):
            yield

    begun = generator()
    contextvars.copy_context().run(next, begun)
    begun.close()
    service.client.request("GET", "/a")

    assert service.traces() == [None]
