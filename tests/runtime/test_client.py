"""A client opens its connections when they are needed and closes what it has opened."""

import asyncio
import threading

import pytest

from modelarts_runtime.client import Client


def test_a_client_makes_its_connection_pool_when_it_is_needed():
    """Arguments that no pool can be made with show when one is made."""
    client = Client("http://service.test", httpx_args={"no_such_argument": 1})
    client.close()
    asyncio.run(client.aclose())

    with pytest.raises(TypeError, match="no_such_argument"):
        client.request("GET", "/")
    with pytest.raises(TypeError, match="no_such_argument"):
        asyncio.run(client.request_async("GET", "/"))


def test_a_client_closes_what_it_has_opened():
    with Client("http://service.test") as client:
        opened = client.get_httpx_client()
        assert not opened.is_closed

    assert opened.is_closed


def test_threads_that_start_at_once_share_one_connection_pool():
    client = Client("http://service.test")
    barrier = threading.Barrier(8)
    found = []

    def open_client():
        barrier.wait()
        found.append(client.get_httpx_client())

    threads = [threading.Thread(target=open_client) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    client.close()

    assert len(found) == 8
    assert len(set(found)) == 1


def test_repr_shows_the_address_and_no_header():
    assert repr(Client("http://service.test", headers={"X-Auth-Token": "secret"})) == "Client('http://service.test')"


def test_an_asynchronous_client_closes_what_it_has_opened():
    async def run():
        async with Client("http://service.test") as client:
            opened = client.get_async_httpx_client()
            assert not opened.is_closed
        return opened

    assert asyncio.run(run()).is_closed
