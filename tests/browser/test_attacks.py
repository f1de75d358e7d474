"""Another page of the same browser can neither see nor do anything, and nothing that a job writes becomes a page."""

from typing import Any

from tests.browser.conftest import Tab
from tests.local_servers import LocalHandler, serving
from tests.overlays.ui.conftest import Served, submitted

from modelarts_toolkit import ModelArts

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


class Attacker(LocalHandler):
    page = ""

    def do_GET(self) -> None:
        self.respond(200, self.page.encode(), {"Content-Type": "text/html"})


def test_another_page_reads_and_does_nothing(browser: Any, served: Served, ma: ModelArts) -> None:
    """Not by a frame, a form or a script, although the browser has the cookie."""
    job = submitted(ma, "attacked")
    job.wait(timeout=300)
    tab = Tab(browser, served)
    Attacker.page = ATTACK.format(url=served.url, delete=f"/jobs/{job.id}/delete")
    page = tab.context.new_page()
    with serving(Attacker) as url:
        page.goto(url.replace("127.0.0.1", "localhost"))
        page.wait_for_function("document.title != 'waiting'")

        assert page.title() == "blocked,blocked,blocked,blocked"
        assert all("Jobs" not in frame.content() for frame in page.frames[1:])
    assert ma.jobs.get(job.id).phase == "Completed"
    tab.context.close()
