"""The log of a job in a real browser: search, errors, and following."""

import re
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.browser.conftest import Tab
from tests.overlays.cli.conftest import job_request

from modelarts_toolkit import Job, JobFailed, ModelArts
from modelarts_toolkit.ui import log_feed

FAILURES = tomllib.loads(Path("tests/data/failures.toml").read_text("utf-8"))
METRICS = tomllib.loads(Path("tests/data/metric_lines.toml").read_text("utf-8"))
COLOURS = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")
LETTERS = "aAäÄiIİıſsSK\u212aßẞςΣ.*\\[(𐐀𐐨😀 "
WORDS = st.text(LETTERS, min_size=1, max_size=4)
SCRIPT = """\
import pathlib, time
folder = pathlib.Path(__file__).parent
print((folder / "lines.txt").read_text("utf-8"), flush=True)
{end}
"""
ERRORS = """\
KeyError: 3
ERROR:root:could not read shard 3
2026-11-28 04:00:00.123 | ERROR    | __main__:main:12 - disk is full
[E ProcessGroupNCCL.cpp:475] [Rank 1] Watchdog caught collective operation timeout
2026-11-28 04:00:00.123456: E tensorflow/core/kernels/cast.cc:12] no kernel
node-1:4711:4712 [0] transport/net.cc:12 NCCL WARN Cuda failure 'out of memory'
grpc._channel._InactiveRpcError: <_InactiveRpcError of RPC that terminated with:
slurmstepd: error: Detected 1 oom_kill event in StepId=1.0
Out of memory: Killed process 4711 (python) total-vm:1kB
train.py: error: unrecognized arguments: --shuffle
An error occurred while reading shard 3""".splitlines()
NO_ERRORS = """\
epoch 1/10 mean_error: 0.1000
onerror handler installed
error_rate=0
0 errors, no errors found. Errors: 0
{"error": null, "loss": 1}
epoch 3 train error: 12.5% test error: 13.1%
error handling: enabled
error handling enabled
ERROR RATE: 2%
log_level='ERROR'
logging level set to ERROR
  --max-error FLOAT     maximum error: stop there
train: 10%|#         | 1/10 [00:01<00:09, error=0.5]
0 failed, failed: 0, passed: 12
validation error: 5 px
top-1 error: 24.3 top-5 error: 7.1""".splitlines()

Printed = Callable[..., Job]


@pytest.fixture
def printed(ma: ModelArts, tmp_path: Path) -> Printed:
    """Runs a job that prints these lines, and then runs the code `end`."""

    def run(name: str, lines: list[str], end: str = "", *, waits: bool = True) -> Job:
        (tmp_path / "lines.txt").write_text("\n".join(lines), "utf-8")
        (tmp_path / "train.py").write_text(SCRIPT.format(end=end), "utf-8")
        ma.obs.upload(tmp_path, f"obs://page/{name}/")
        code: Any = {"code_dir": f"/page/{name}/", "boot_file": f"/page/{name}/train.py"}
        job = ma.jobs.submit(job_request(name, **code), unique=True)
        return job.wait(timeout=300) if waits else job

    return run


def opened(tab: Tab, job: Job) -> Any:
    """The page of a job that has ended, with the whole log."""
    page = tab.open(f"/jobs/{job.id}")
    page.get_by_text("The job has ended: ").wait_for()
    return page


def folded(text: str) -> str:
    """The text without differences of case, letter by letter; İ and ı are no i."""
    return "".join(
        {"ẞ": "ß", "ß": "ß"}.get(each, each.casefold() if len(each.casefold()) == 1 else each) for each in text
    )


def marked(page: Any, name: str) -> list[str]:
    """The texts that are marked, in the order of the page."""
    found: list[str] = page.evaluate(
        """name => [...CSS.highlights.get(name) ?? []].map(({startContainer, startOffset, endContainer, endOffset}) => {
          const range = new Range();
          range.setStart(startContainer, startOffset);
          range.setEnd(endContainer, endOffset);
          return range.toString();
        })""",
        name,
    )
    return found


def test_the_number_of_matches_is_that_of_a_plain_search(tab: Tab, printed: Printed) -> None:
    """Whatever is searched for: capitals, letters of two bytes or four, signs of patterns, words in several colours."""
    lines = [
        "aAäÄiIİı",
        "ſsS Kk\u212a ßẞ ςΣσ",
        ".*\\[( 😀😀 𐐀𐐨",
        "a\x1b[31ma\x1b[1mÄ\x1b[0mä",
        "\x1b[32m.\x1b[0m* aa",
        "",
    ] * 3
    page = opened(tab, printed("matches", lines))
    shown = [COLOURS.sub("", line) for line in page.locator("#log section > div").evaluate_all(
        "lines => lines.map(line => line.textContent.slice(line.firstChild.textContent.length))"
    )]  # fmt: skip
    wanted, matches = page.locator("#wanted"), page.locator("#matches")

    @settings(max_examples=40)
    @example("aä")
    @example("İ")
    @example("😀")
    @given(WORDS)
    def holds(text: str) -> None:
        wanted.fill(text)
        count = sum(folded(line).count(folded(text)) for line in shown)
        wanted.press("Shift+Enter")

        assert matches.inner_text() == f"{count}/{count}"
        assert [folded(each) for each in marked(page, "found")] == [folded(text)] * count
        assert [folded(each) for each in marked(page, "current")] == [folded(text)] * min(count, 1)

    holds()


def test_a_search_lets_the_page_go_on_and_marks_what_is_in_view(tab: Tab, printed: Printed) -> None:
    """A newer text ends it, and a step waits until all is counted; here each slice of time is over at once."""
    tab.context.add_init_script("let now = 0; performance.now = () => (now += 1000);")
    page = opened(tab, printed("sliced", [f"step {number} step" for number in range(3000)]))
    at_once = page.evaluate(
        """() => { const wanted = document.getElementById("wanted");
          for (const text of ["e", "step 29", "zzzz", "step"]) {
            wanted.value = text;
            wanted.dispatchEvent(new Event("input"));
          }
          for (const shiftKey of [false, false, true]) {
            wanted.dispatchEvent(new KeyboardEvent("keydown", {key: "Enter", shiftKey}));
          }
          return document.getElementById("matches").textContent; }"""
    )
    assert at_once == "counting"
    page.locator("#matches", has_text="1/6000").wait_for()
    page.locator("#wanted").press("Shift+Enter")

    assert page.locator("#matches").inner_text() == "6000/6000"
    assert 0 < len(marked(page, "found")) < 600
    assert page.get_by_text("step 2999 step").is_visible()


def test_lines_of_errors_are_told_from_names_of_numbers(tab: Tab, printed: Printed) -> None:
    """The real ends of logs each have an error; what scripts print that go on has none."""
    going_on = [
        *FAILURES["ordinary"],
        *FAILURES["after"],
        *(line for each in METRICS.values() for line in ordinary_of(each)),
    ]
    fatal = [each["log"] for each in FAILURES["fatal"] if re.search(r"[Ee]rror: |Exception", each["log"])]
    page = opened(tab, printed("errors", [*NO_ERRORS, *going_on, "END OF ORDINARY LINES", *ERRORS, *fatal]))
    found = page.locator("#log section > div").evaluate_all(
        "lines => lines.map(line => [line.className, line.textContent])"
    )
    middle = next(place for place, (_, text) in enumerate(found) if text.endswith("END OF ORDINARY LINES"))
    wrong = [text for name, text in found[:middle] if name]
    missed = [text for name, text in found[middle + 1 :][: len(ERRORS)] if not name]

    assert (wrong, missed) == ([], [])
    place = middle + 1 + len(ERRORS)
    for log in fatal:
        count = len(log.split("\n"))
        assert any(name for name, _ in found[place : place + count]), log
        place += count


def ordinary_of(table: Any) -> Iterator[str]:
    """The lines of a table of metrics that are not errors."""
    for line in table["lines"].splitlines() if isinstance(table, dict) else ():
        if not re.search(r"NCCL error|CUDA error|returned error", line):
            yield line.split("\r")[-1]


def test_the_first_error_is_the_one_of_the_verdict(tab: Tab, printed: Printed) -> None:
    """Not one that the script handled before; in a job that completed, none is made up."""
    handled = ["ERROR: no cache, going on", "Traceback (most recent call last):", "KeyError: 1", "epoch 1 loss: 0.5"]
    with pytest.raises(JobFailed):
        printed("told", handled, "raise ValueError('the data has no labels')")
    page = opened(tab, printed("nothing", NO_ERRORS))
    page.get_by_role("button", name="First error").click()
    assert page.locator("#log-state").inner_text() == "No line shown looks like an error."

    tab.open("/?name=told").locator("tbody th a").first.click()
    page.get_by_text("The job has ended: ").wait_for()
    page.get_by_role("button", name="First error").click()
    line = page.locator("#log div:target")
    assert "Traceback" in line.inner_text()
    assert page.locator(f"#L{int(line.get_attribute('id')[1:]) - 1}").inner_text().endswith("loss: 0.5")


def test_scrolling_up_stops_following_and_the_end_resumes_it(tab: Tab, printed: Printed, tmp_path: Path) -> None:
    """Matches are counted as lines come, and the place that is read stays."""
    go = tmp_path / "go"
    end = f"while not pathlib.Path({str(go)!r}).exists(): time.sleep(0.02)\n"
    end += "print((folder / 'lines.txt').read_text('utf-8'))"
    job = printed("following", [f"line {number}" for number in range(300)], end, waits=False)
    page = tab.open(f"/jobs/{job.id}")
    page.locator("#wanted").fill("line 2")
    page.locator("#matches", has_text="0/111").wait_for()
    follow, log = page.get_by_label("Follow"), page.locator("#log")
    assert follow.is_checked()
    log.evaluate("log => (log.scrollTop = 0)")
    page.locator("#follow:not(:checked)").wait_for()
    go.touch()
    page.locator("#matches", has_text="0/222").wait_for()
    assert log.evaluate("log => log.scrollTop") == 0
    assert not follow.is_checked()

    log.press("End")
    page.locator("#follow:checked").wait_for()


def test_lines_that_are_left_out_are_told_and_are_the_same_in_each_visit(
    tab: Tab, printed: Printed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether the log is followed or read at once; matches are counted in the lines that are shown."""
    monkeypatch.setattr(log_feed, "SHOWN_LINES", 1000)
    go = tmp_path / "go"
    end = f"while not pathlib.Path({str(go)!r}).exists(): time.sleep(0.02)\n"
    end += "print((folder / 'lines.txt').read_text('utf-8'))"
    job = printed("long", [f"line {number}" for number in range(1, 1004)], end, waits=False)
    page = tab.open(f"/jobs/{job.id}")
    missing = page.locator("#missing")
    missing.wait_for()
    assert missing.inner_text() == "Lines 1 to 500 are not shown here: download all"
    go.touch()
    page.get_by_text("The job has ended: ").wait_for()
    found = []
    for visit in ("followed", "read at once"):
        page.locator("#wanted").fill("line 7")
        page.locator("#matches", has_text="in the lines shown").wait_for()
        found.append(
            (missing.inner_text(), page.locator("#matches").inner_text(), page.locator("#log section > div").count())
        )
        assert page.locator("#log section > div").first.get_attribute("id") == "L1501", visit
        opened(tab, job)

    assert found == [("Lines 1 to 1500 are not shown here: download all", "0/100 in the lines shown", 509)] * 2
    assert missing.get_by_role("link").get_attribute("href") == f"/jobs/{job.id}/log.txt"
