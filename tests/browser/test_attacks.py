"""Another page of the same browser can neither see nor do anything, and nothing that a job writes becomes a page."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from tests.overlays.ui.conftest import Served, submitted

from modelarts_toolkit import ModelArts

from .conftest import Tab

ATTACK = """<!doctype html><title>waiting</title>
<iframe src="{url}/"></iframe>
<form id="form" method="post" action="{url}{delete}" target="shown"></form><iframe name="shown"></iframe>
<script type="module">
document.getElementById("form").submit();
const results = [];
for (const [path, method] of [["/", "GET"], ["{delete}", "POST"], ["/session", "POST"], ["/live", "GET"]]) {{
  try {{
    const response = await fetch("{url}" + path, {{ method, credentials: "include" }});
    results.push(await response.text());
  }} catch (error) {{ results.push("blocked"); }}
}}
document.title = results.join(",");
</script>
"""


class Attacker(BaseHTTPRequestHandler):
    page = ""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(self.page.encode())

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def attacker() -> Iterator[ThreadingHTTPServer]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Attacker) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_another_page_reads_and_does_nothing(
    browser: Any, served: Served, ma: ModelArts, attacker: ThreadingHTTPServer
) -> None:
    """Not by a frame, a form or a script, although the browser has the cookie."""
    job = submitted(ma, "attacked")
    job.wait(timeout=300)
    tab = Tab(browser, served)
    Attacker.page = ATTACK.format(url=served.url, delete=f"/jobs/{job.id}/delete")
    page = tab.context.new_page()
    page.goto(f"http://localhost:{attacker.server_port}/")
    page.wait_for_selector("title", state="attached")
    for _ in range(600):
        if page.title() != "waiting":
            break
        page.wait_for_timeout(100)

    assert page.title() == "blocked,blocked,blocked,blocked"
    assert all("Jobs" not in frame.content() for frame in page.frames[1:])
    assert ma.jobs.get(job.id).phase == "Completed"
    tab.context.close()


def test_what_a_job_writes_is_downloaded_and_never_shown_as_a_page(tab: Tab, ma: ModelArts, tmp_path: Any) -> None:
    """An output x.html could otherwise act as the page."""
    (tmp_path / "x.html").write_text("<script>document.title = 'taken over'</script>")
    ma.obs.upload(tmp_path / "x.html", "obs://page/x.html")
    page = tab.open("/storage?url=obs://page/x.html")
    assert "taken over" in page.locator("pre").inner_text()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()

    assert download.value.suggested_filename == "x.html"
    assert page.title() != "taken over"
