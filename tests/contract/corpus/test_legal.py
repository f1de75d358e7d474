"""What HTTP and the documents allow is not a finding: in runs, checks and tests with the marker."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Iterator
from functools import reduce
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.contract.corpus import wire
from tests.contract.corpus.conftest import Bench
from tests.contract.corpus.legal import CONTENT, DISTURBING, FORMS, LEGAL, Behaviour
from tests.contract.corpus.wire import Form

from modelarts_contract import har
from modelarts_contract.commands import contract
from modelarts_contract.exchange import Exchange
from modelarts_contract.finding import NOTES
from modelarts_contract.proxy import Forward, ProxyRequest, ProxyResponse
from modelarts_contract.redaction import Redaction
from modelarts_contract.run.judging import Judge

pytest_plugins = ["pytester"]

NAMES = ("v1", "v2", "iam")
FEW = [
    "listAlgorithms",
    "listTrainingJobs",
    "listTrainingJobEvents",
    "listTrainingJobConfigs",
    "showTrainingJobDetails",
]
EVERY_DAY = ("new values of open lists", "429 for one of five", "lists that lag")
ROUNDS = 2 * len(DISTURBING)
MARKED = """
import json
import httpx
import pytest

@pytest.mark.modelarts_contract
def test_calls():
    with httpx.Client(headers={{"X-Auth-Token": {token!r}}}, timeout=300, trust_env=False) as client:
        for method, url, body in json.loads({calls!r}):
            for _ in range(9):
                try:
                    found = client.request(method, url, content=body, headers={{"Content-Type": "application/json"}})
                except httpx.TransportError:
                    continue
                if found.status_code not in (429, 502, 503):
                    break
"""


@contextlib.contextmanager
def behaving(bench: Bench, behaviours: Iterable[Behaviour], form: Form) -> Iterator[Bench]:
    """The service with these behaviours, each before the next, in this form."""

    def before(inner: Behaviour, outer: Behaviour) -> Behaviour:
        def both(request: ProxyRequest, forward: Forward) -> ProxyResponse:
            return outer(request, lambda sent: inner(sent, forward))

        return both

    bench.behave = reduce(before, behaviours, bench.behave)
    address = bench.url
    with wire.serving(address, form) if form is not PLAIN else contextlib.nullcontext(address) as bench.url:
        yield bench
    bench.url = address


PLAIN = Form()


def test_legal_behaviours_of_every_day_are_no_findings(bench: Bench, tmp_path: Path) -> None:
    """Nothing is found by a run that reads, one that writes, or a check of what they sent."""
    with behaving(bench, [LEGAL[name]() for name in EVERY_DAY], Form(str.upper, reset_every=10)) as service:
        runs = [service.read(NAMES, FEW), service.write(NAMES)]

    assert "\n".join(found for judge in runs for found in (*findings(judge), *checked(judge.exchanges, tmp_path))) == ""
    assert [judge.service.trouble for judge in runs] == [None, None]
    assert min(len(judge.exchanges) for judge in runs) > 30


@pytest.mark.soak
@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", [*LEGAL, *FORMS])
def test_a_legal_behaviour_is_no_finding(name: str, bench: Bench, tmp_path: Path) -> None:
    behaviours = [LEGAL[name]()] if name in LEGAL else []
    with behaving(bench, behaviours, FORMS.get(name, PLAIN)) as service:
        runs = [service.read(NAMES, FEW), service.write(NAMES)]

    assert "\n".join(found for judge in runs for found in (*findings(judge), *checked(judge.exchanges, tmp_path))) == ""
    assert [judge.service.trouble for judge in runs] == [None, None]


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    "number",
    [pytest.param(n, marks=pytest.mark.ci if n < len(DISTURBING) else pytest.mark.soak) for n in range(ROUNDS)],
)
def test_legal_behaviours_that_meet_are_no_findings(
    number: int, bench: Bench, tmp_path: Path, pytester: pytest.Pytester
) -> None:
    """Each round has another temporary disturbance, and another form of responses, around half of what can be shown.

    The calls of every third round are made by a test with the marker, too.
    """
    form, disturbing = [*FORMS.values()][number % len(FORMS)], DISTURBING[number % len(DISTURBING)]
    content = [LEGAL[name]() for name in CONTENT[number % 2 :: 2]]
    with behaving(bench, [*content, LEGAL[disturbing]()], form) as service:
        runs = [service.read(NAMES, FEW if number < len(DISTURBING) else []), service.write(NAMES)]
        found = under_the_marker(pytester, service, runs[0].exchanges[:60]) if number % 3 == 0 else []

    found += [each for judge in runs for each in (*findings(judge), *checked(judge.exchanges, tmp_path))]
    assert "\n".join(found) == "", disturbing
    assert [judge.service.trouble for judge in runs] == [None, None]


def findings(judge: Judge) -> Iterator[str]:
    """What the run has found."""
    for outcome in judge.outcomes().values():
        yield from (each.message for each in outcome.findings)


def checked(exchanges: Iterable[Exchange], folder: Path) -> list[str]:
    """What a check of the recorded exchanges says and fails for."""
    har.write(folder / "session.har", map(Redaction(), exchanges))
    done = CliRunner().invoke(contract, ["check", str(folder / "session.har")])
    notes = tuple(f"   {kind.value}" for kind in NOTES)
    said = [line for line in done.output.splitlines() if not line.startswith(notes)]
    return [] if done.exit_code == 0 else [one + other for one, other in pairwise(said) if other.startswith("   ")]


def under_the_marker(pytester: pytest.Pytester, bench: Bench, exchanges: Iterable[Exchange]) -> list[str]:
    """What a test with the marker fails for that makes the same calls."""
    calls = [
        (each.method, f"{bench.url}/{each.url.split('/', 3)[3]}", each.request_body.decode())
        for each in exchanges
        if 200 <= each.status < 300 and each.method in ("GET", "POST") and "tokens" not in each.url
    ]
    pytester.makepyfile(MARKED.format(token=bench.emulated.token, calls=json.dumps(calls)))
    plugins = [part for name in ("cacheprovider", "hypothesispytest", "xdist") for part in ("-p", f"no:{name}")]
    done = pytester.runpytest_inprocess(*plugins, "-W", "ignore")
    return [] if done.ret == 0 else done.outlines
