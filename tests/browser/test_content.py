"""No text of a person or a service breaks a page: every view with every kind of text, on every screen."""

import re
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from tests.browser.conftest import Tab
from tests.overlays.cli.conftest import FLAVOR, job_request
from tests.overlays.ui.conftest import Served

from modelarts_emulator.server import Emulator
from modelarts_toolkit import ModelArts
from modelarts_toolkit.settings.config import Config
from modelarts_toolkit.ui.report import report

pytestmark = pytest.mark.ci

LAYOUT = Path(__file__).with_name("layout.js").read_text("utf-8")
CODE = {"code_dir": "/content/", "boot_file": "/content/train.py"}
WIDTHS = (1440, 1024, 400)
# Members of responses that hold a text which somebody wrote, or which a service may word as it likes.
TEXTS = re.compile(
    "name|description|user_name|engine_name|engine_version|flavor_id|flavor_name|message|en_message|value|end_reason|"
    "end_related_task|end_recover|job_name|job_desc|version_name|label|key"
)
TABS = ("log", "metrics", "events", "trials", "outputs", "request", "fields")
SCROLLED = ("/compare", "/emulator", "tab=trials", "report")  # wide tables in regions that can be scrolled
TRIALS_HEADER = ["", "done", "pid", "config", "trial_id", "time_total_s", "reward_attr", "status", "accuracy", "loss"]

word = st.text("abcdefghijklmnopqrstuvwxyzABCXYZ0123456789-_", min_size=64, max_size=64)
texts = st.tuples(
    word,
    st.integers(900, 1000).map(lambda length: "ValueError: " + "x" * length),
    st.lists(st.text("abcdefgh0_.", min_size=1, max_size=30), min_size=20, max_size=40).map(
        lambda parts: "/home/ma-user/" + "/".join(parts)
    ),
    st.lists(st.sampled_from(["👩‍🔬", "🧪", "🏳️‍🌈", "🇩🇪", "🔥"]), min_size=5, max_size=200).map("".join),
    st.text(st.characters(min_codepoint=0x5D0, max_codepoint=0x64A, categories=["Lo"]), min_size=20, max_size=300),
    st.lists(
        st.sampled_from(["abc", "אבג", "(مرحبا)", "\u202e", "\u2067", "12", " ", "-", "\u200f"]),
        min_size=5,
        max_size=90,
    ).map(lambda parts: "א\u202e" + "".join(parts)),
    st.sampled_from(
        [
            "<script>window.pwned=1</script>",
            "</td></tr></table></main><img src=x onerror=window.pwned=1>",
            '"><svg onload=window.pwned=1>',
            "{{ 7 * 7 }}&lt;b&gt;<b>'\"",
        ]
    ).map(lambda text: text * 3),
    st.integers(3, 400).map(lambda times: "a\u200b\u2060\ufeffb" * times),
    st.integers(1, 40).map(lambda times: "o" + "\u0301\u0323" * times + "x" * 80),
    st.text(st.characters(min_codepoint=0x4E00, max_codepoint=0x9FA5), min_size=10, max_size=300),
    st.integers(1, 20).map(lambda times: "\x1b[31;1mred\x1b[0m\r50%\rdone\t|" * times),
    st.integers(10, 300).map(lambda times: "no\u00a0break\u2011here" * times),
    st.lists(word, min_size=2, max_size=20).map("\n".join),
    st.integers(20, 300).map(lambda digits: "-1." + "9" * digits + "e+308"),
)


class Fill:
    """Puts texts into the responses of a service; the same member of the same value always gets the same text."""

    def __init__(self) -> None:
        self.texts: Sequence[str] = ()

    def concerns(self, request: httpx.Request, response: httpx.Response) -> bool:
        """Whether the response to this request holds texts."""
        is_json = "json" in response.headers.get("content-type", "")
        return bool(self.texts) and is_json and not request.url.path.startswith("/v3/")

    def __call__(self, request: httpx.Request, response: httpx.Response) -> httpx.Response:
        """The response to the request, filled."""
        if request.url.path.endswith("/autosearch-trials"):
            return httpx.Response(200, json={"total": 3, "items": {"header": self._header(), "data": self._trials()}})
        filled = self._filled(response.json())
        if "/training-jobs/" in request.url.path and "algorithm" in filled:
            filled["algorithm"]["policies"] = {"auto_search": {"reward_attrs": [{"name": "accuracy", "mode": "max"}]}}
        return httpx.Response(response.status_code, json=filled)

    def _text(self, key: str, value: str) -> str:
        return self.texts[zlib.crc32(f"{key} {value}".encode()) % len(self.texts)]

    def _filled(self, value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            return {name: self._filled(each, name) for name, each in value.items()}
        if isinstance(value, list):
            return [self._filled(each, key) for each in value]
        return self._text(key, value) if TEXTS.fullmatch(key) and isinstance(value, str) and value else value

    def _header(self) -> list[str]:
        return [*TRIALS_HEADER, *self.texts[:2]]

    def _trials(self) -> list[list[Any]]:
        configs = [{each[:64]: number for each in self.texts[:4]} for number in range(3)]
        return [
            [str(number), "True", "", config, self.texts[number], "19.4", "0.7", "TERMINATED", "0.7", "0.3", "1", "2"]
            for number, config in enumerate(configs)
        ]


class Filled(httpx.HTTPTransport):
    """A network on which the responses of the emulator are filled."""

    def __init__(self, fill: Fill) -> None:
        super().__init__()
        self.fill = fill

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        response = super().handle_request(request)
        if not self.fill.concerns(request, response):
            return response
        response.read()
        return self.fill(request, response)


class AsyncFilled(httpx.AsyncHTTPTransport):
    """The same for the asynchronous client."""

    def __init__(self, fill: Fill) -> None:
        super().__init__()
        self.fill = fill

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        response = await super().handle_async_request(request)
        if not self.fill.concerns(request, response):
            return response
        await response.aread()
        return self.fill(request, response)


class Site:
    """An emulator with a dozen jobs, its page in a browser, and what fills the responses between them."""

    def __init__(self, emulator: Emulator, ma: ModelArts, served: Served, fill: Fill) -> None:
        self.emulator, self.ma, self.served, self.fill = emulator, ma, served, fill
        self.jobs = [job.id for job in ma.jobs.list()]
        self.old = [job.id.replace("/", "-") for job in ma.v1_jobs.list()]

    def paths(self) -> list[str]:
        """Every view; those about one job are of the oldest, which failed."""
        failed = self.jobs[-1]
        compared = "&".join(f"job={job}" for job in self.jobs[:10])
        return [
            "/",
            str(httpx.URL("/", params={"name": self.fill.texts[3][:100], "where": self.fill.texts[1]})),
            "/v1/jobs",
            f"/v1/jobs/{self.old[0]}",
            *(f"/jobs/{failed}?tab={tab}" for tab in TABS),
            f"/jobs/{self.jobs[0]}",
            f"/compare?{compared}",
            "/queue",
            "/storage",
            "/storage?url=obs://content/",
            str(httpx.URL("/storage", params={"url": self.emulator.objects.list("obs://content/")[0]})),
            "/emulator",
            str(httpx.URL("/storage", params={"url": f"obs://{self.fill.texts[1]}/"})),
            str(httpx.URL("/jobs/" + "x" * 1000)),
        ]


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    fill = Fill()
    with Emulator(executor="simulated", record_calls=True, capacity={FLAVOR: 4}) as emulator:
        config = Config.load(environ=emulator.environment())
        with ModelArts(config=config, transport=Filled(fill)) as ma:
            submit_all(emulator, ma)
            with Served(config, emulator.environment(), transport=AsyncFilled(fill)) as served:
                yield Site(emulator, ma, served, fill)


def submit_all(emulator: Emulator, ma: ModelArts) -> None:
    """Jobs that failed, run and wait, of both versions."""
    emulator.objects.put("obs://content/train.py", "print('hello')")
    emulator.objects.put("obs://content/data/x", "1")
    for name, options in (("failed", {"exit_code": 1, "duration": 60}), ("ended", {"duration": 120}), ("*", {})):
        log = [f"epoch {epoch} loss: {1 / epoch} {'x' * 60}: {epoch}" for epoch in range(1, 9)]
        emulator.plans.add(job=f"{name}*", **{"duration": 10**6, "log": log, **options})
    for name in ("failed", "failed-2", "ended", "ended-2", *"abcdefgh"):
        request = job_request(name)
        request["metadata"]["description"] = f"Description of {name}."
        outputs = [{"name": "train_url", "remote": {"obs": {"obs_url": f"/content/{name}/"}}}]
        parameters = [{"name": f"parameter-{each}", "value": f"{name} {each}"} for each in range(12)]
        request["algorithm"] |= {**CODE, "outputs": outputs, "parameters": parameters}
        ma.jobs.submit(request)
        emulator.clock.advance(70)
    config: Any = {
        "worker_server_num": 1,
        "app_url": "/content/",
        "boot_file_url": "/content/train.py",
        "engine_id": 4,
        "flavor": {"code": "modelarts.vm.cpu.2u"},
        "data_url": "/content/data/",
        "train_url": "/content/old/",
        "parameter": [{"label": "rate", "value": "0.1"}],
    }
    ma.v1_jobs.submit({"job_name": "old", "job_desc": "old", "config": config})


@pytest.mark.timeout(1800)
@settings(max_examples=2, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
@given(drawn=texts)
def test_every_view_holds_every_text_on_every_screen(
    browser: Any, site: Site, tmp_path_factory: pytest.TempPathFactory, drawn: Sequence[str]
) -> None:
    """Nothing leaves the window, lies over something else, is cut off for good, mixes directions, or becomes HTML."""
    fill(site, drawn)
    (made := tmp_path_factory.mktemp("report") / "report.html").write_text(report(site.ma.jobs.get(site.jobs[-1]), 100))
    tab = Tab(browser, site.served, viewport={"width": WIDTHS[0], "height": 900})
    found = {path: faults(tab.open(path), path) for path in site.paths()}
    expected = [error for error in tab.errors if "status of 4" not in error]
    login = tab.context.new_page()
    tab.context.clear_cookies()
    for name, url in (("login", site.served.url), ("report", made.as_uri())):
        login.goto(url)
        found[name] = faults(login, name)
    tab.context.close()

    assert [f"{path[:40]} {each}" for path, faults in found.items() for each in faults] == []
    assert (expected, tab.foreign) == ([], [])


def fill(site: Site, drawn: Sequence[str]) -> None:
    """From now on these texts are in all responses, in the log of a job, and in the keys of objects."""
    site.fill.texts = ()
    site.emulator.plans.add(
        job="drawn*", duration=5, exit_code=1, log=[*drawn, "Traceback (most recent call last):", *drawn]
    )
    drawn_job = job_request("drawn")
    drawn_job["algorithm"] |= CODE
    drawn_job["spec"]["resource"]["flavor_id"] = "modelarts.vm.cpu.2u"  # the nodes of the others are in use
    site.jobs.append(site.ma.jobs.submit(drawn_job, unique=True).id)
    site.emulator.clock.advance(10)
    site.fill.texts = drawn


def faults(page: Any, path: str) -> list[str]:
    """What is wrong on the screens."""
    page.locator("h1").wait_for()
    if "tab=log" in path:
        page.locator("#log div").first.wait_for()
    found = []
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        found += [f"{width}: {each}" for each in page.evaluate(LAYOUT, any(each in path for each in SCROLLED))]
    return found
