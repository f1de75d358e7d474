"""One client in several processes and event loops: each has connections of its own."""

import asyncio
import gc
import os
import threading
import warnings
from http.server import ThreadingHTTPServer

import httpx
import pytest
from tests.local_servers import LocalHandler, serving

from modelarts_runtime.client import Client
from modelarts_runtime.per_loop import PerLoop
from modelarts_toolkit import AsyncModelArts, ModelArts
from modelarts_toolkit.auth.tokens import IamTokenAuth

CALLS = 30


class _Service(LocalHandler):
    """Responds with the port of the connection; gives out tokens, and knows one project."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        if self.path.startswith("/v3/projects"):
            self.respond(200, b'{"projects": [{"id": "p1", "name": "one"}]}')
        else:
            name = f"{self.path} {self.client_address[1]}"
            self.respond(200, b'{"total_count": 1, "flavors": [{"flavor_id": "%s"}]}' % name.encode())

    def do_POST(self):
        self.content()
        self.respond(201, b"{}", {"X-Subject-Token": "t" * 20})


@pytest.fixture(scope="module")
def service():
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Service)
    server.daemon_threads = True  # connections of clients that were not closed
    with serving(server) as url:
        yield url


@pytest.fixture
def unclosed():
    """Connections of event loops that have ended are dropped, which warns."""
    yield
    with warnings.catch_warnings(action="ignore"):
        gc.collect()


def _login(url):
    login = {"username": "u", "password": "pppppppp", "domain_name": "d", "project_name": "one"}
    return {"endpoint": url, "iam_endpoint": url, **login}


def _forked(function):
    """Call the function in a child; return the end of a pipe that has what it wrote."""
    read, write = os.pipe()
    if (pid := os.fork()) == 0:
        try:
            os.write(write, str(function()).encode())
        except BaseException as error:
            os.write(write, repr(error).encode())
        finally:
            os._exit(0)
    os.close(write)
    return pid, read


def _text(child):
    pid, read = child
    with os.fdopen(read) as stream:
        text = stream.read()
    os.waitpid(pid, 0)
    return text


def _ports(ma):
    return {ma.v2.flavors.show_training_job_flavors().flavors[0].flavor_id.split()[1] for _ in range(CALLS)}


@pytest.mark.parametrize("is_used_before", [True, False])
def test_three_children_and_their_parent_use_one_client(service, is_used_before):
    with ModelArts(**_login(service)) as ma:
        if is_used_before:
            _ports(ma)
        children = [_forked(lambda: " ".join(_ports(ma))) for _ in range(3)]
        ports = [*_ports(ma), *map(_text, children)]

    assert all(port.isdigit() for port in ports), ports
    assert len(set(ports)) == 4


def test_a_child_logs_in_although_a_thread_of_its_parent_did_so_when_it_was_forked(service):
    ma = ModelArts(**_login(service))
    assert isinstance(ma._auth, IamTokenAuth)
    lock = ma._auth._thread_lock.of_process()
    lock.acquire()
    try:
        child = _forked(lambda: len(_ports(ma)))
        assert _text(child) == "1"
    finally:
        lock.release()
        ma.close()


@pytest.mark.usefixtures("unclosed")
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_one_client_is_used_in_one_event_loop_after_another(service):
    ma = AsyncModelArts(**_login(service))

    async def call():
        found = await asyncio.gather(*[ma.v2.flavors.show_training_job_flavors() for _ in range(5)])
        return {each.flavors[0].flavor_id.split()[0] for each in found}

    assert [asyncio.run(call()) for _ in range(3)] == [{"/v2/p1/training-job-flavors"}] * 3


@pytest.mark.usefixtures("unclosed")
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_one_client_is_used_in_the_event_loops_of_several_threads(service):
    ma, found = AsyncModelArts(**_login(service)), []
    barrier = threading.Barrier(4)

    async def call():
        barrier.wait()
        return [await ma.v2.flavors.show_training_job_flavors() for _ in range(5)]

    threads = [threading.Thread(target=lambda: found.extend(asyncio.run(call()))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 20


def test_the_generated_client_alone_is_used_in_two_event_loops(service):
    client = Client(service)

    async def call():
        async with client:
            return (await client.request_async("GET", "/v2/p1/training-job-flavors")).status_code

    assert [asyncio.run(call()) for _ in range(2)] == [200, 200]


def test_closing_opens_nothing():
    client = Client("http://service.test", httpx_args={"no_such_argument": True})
    client.close()
    asyncio.run(client.aclose())
    with pytest.raises(TypeError, match="no_such_argument"):
        client.get_httpx_client()


def test_a_closed_client_stays_closed(service):
    client = Client(service)
    client.request("GET", "/v2/p1/training-job-flavors")
    client.close()
    with pytest.raises(RuntimeError, match="closed"):
        client.request("GET", "/v2/p1/training-job-flavors")


def test_a_synchronous_client_is_the_same_whether_or_not_an_event_loop_runs():
    client = Client("http://service.test", httpx_args={"transport": httpx.MockTransport(lambda _: httpx.Response(200))})

    async def found():
        return client.get_httpx_client()

    assert asyncio.run(found()) is client.get_httpx_client()


def test_objects_of_closed_event_loops_are_dropped():
    objects = PerLoop(object)

    async def made():
        return objects.of_loop()

    assert len({asyncio.run(made()) for _ in range(5)}) == 5
    assert len(objects._made) == 1
