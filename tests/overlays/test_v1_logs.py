"""Logs of version 1, from a service that fails now and then."""

import json

import httpx
import pytest
from tests.overlays.conftest import VirtualTime

from modelarts_toolkit import ModelArts, V1Jobs
from modelarts_toolkit.errors import ConnectionFailed
from modelarts_toolkit.jobs._sync.version_logs import PIECE_LINES

NUMBER_OF_LINES = 3 * PIECE_LINES
VERSION = {"job_id": 7, "version_id": 8, "status": 10, "worker_server_num": 1}


class Service:
    """A version with a log; the requests for pieces of these numbers fail."""

    FAILING = (3, 8)  # one for lines before the first piece, and one for lines after it

    def __init__(self) -> None:
        self.pieces = 0

    def __call__(self, request: httpx.Request) -> httpx.Response:
        path, query = request.url.path, request.url.params
        if path.endswith("/file-names"):
            return httpx.Response(200, json={"log_file_list": ["job-sum.0"]})
        if not path.endswith("/aom-log"):
            return httpx.Response(200, json=VERSION)
        self.pieces += 1
        if self.pieces in self.FAILING:
            raise ConnectionFailed("faulty")
        return httpx.Response(200, content=json.dumps(self.piece(query)))

    def piece(self, query: httpx.QueryParams) -> dict[str, object]:
        """The newest records, or those before or after the one that the cursor names."""
        first, last = NUMBER_OF_LINES - PIECE_LINES, NUMBER_OF_LINES
        if "base_line" in query and query["order"] == "asc":
            last = int(query["base_line"])
            first = max(0, last - PIECE_LINES)
        elif "base_line" in query:
            first, last = int(query["base_line"]), min(NUMBER_OF_LINES, int(query["base_line"]) + PIECE_LINES)
        lines = [f"line {number}" for number in range(first, last)]
        content = "".join(f"{line}\n\n" for line in lines)
        return {"content": content, "lines": len(lines), "start_line": str(first), "end_line": str(last)}


@pytest.mark.parametrize("follow", [False, True])
def test_a_piece_that_cannot_be_read_is_asked_for_again(follow: bool, virtual_time: VirtualTime) -> None:
    """Every line comes once, and in order."""
    service = Service()
    transport = httpx.MockTransport(service)
    with ModelArts(
        endpoint="https://x.example.com", token="the-token", project_id="p", retries=0, transport=transport
    ) as ma:
        lines = list(V1Jobs(ma, clock=virtual_time.blocking).get("7/8").logs(follow=follow))

    assert lines == [f"line {number}" for number in range(NUMBER_OF_LINES)]
