"""The emulator does what others saw the service do (`tests/data/observed`), or the observation says why it does not."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from modelarts_contract import login
from modelarts_contract.documents import is_not_found, operations
from modelarts_contract.emulator import login_of
from modelarts_contract.run.assumptions import places
from modelarts_contract.seen import dig
from modelarts_emulator.server import Emulator

ROOT = Path(__file__).parents[2]
OBSERVED = ROOT / "tests" / "data" / "observed"
STRENGTHS = {"test", "vendor", "user", "client", "page"}
CODE = "print('observed')\n"
FLAVOR, ENGINE = "modelarts.vm.cpu.2u", "pytorch_1.8.0-cuda_10.2-py_3.7-ubuntu_18.04-x86_64"


def entries(folder: Path) -> dict[str, Any]:
    return {path.stem: yaml.safe_load(path.read_text("utf-8")) for path in sorted(folder.glob("*.yaml"))}


ENTRIES = entries(OBSERVED)
CONFIRMED = {name for name, entry in ENTRIES.items() if "assumption" in entry and "differs" not in entry}
REPLAYED = {name: entry for name, entry in ENTRIES.items() if "operation" in entry and name not in CONFIRMED}


class Service:
    """An emulator with simulated jobs, and the things that observations start from."""

    def __init__(self, emulator: Emulator) -> None:
        self.emulator = emulator
        token = login.token(emulator.endpoint, login_of(emulator.environment()))
        self.http = httpx.Client(base_url=emulator.endpoint, headers={"X-Auth-Token": token}, verify=False)
        self.values = {"project_id": emulator.identity.project_id, "flavor": FLAVOR, "engine": ENGINE}
        emulator.objects.put("obs://observed/code/train.py", CODE)

    def given(self, state: str) -> dict[str, str]:
        """Bring the state about; return the placeholders that it fills."""
        name = f"observed-{uuid.uuid4().hex[:12]}"
        algorithm: Any = {"code_dir": "/observed/code/", "boot_file": "/observed/code/train.py"}
        algorithm |= {"engine": {"engine_id": ENGINE}}
        if state == "algorithm":
            body: Any = {"metadata": {"name": name}, "job_config": algorithm}
            return {
                "algorithm_id": called(self.http, "v2 createAlgorithm", body, **self.values).json()["metadata"]["id"]
            }
        if state == "visualization-job":
            body = {"job_name": name[-20:], "train_url": "/observed/code/"}
            return {"job_id": called(self.http, "v1 createVisualizationJob", body, **self.values).json()["job_id"]}
        body = {"kind": "job", "metadata": {"name": name}, "algorithm": algorithm}
        body["spec"] = {"resource": {"flavor_id": FLAVOR, "node_count": 1}}
        job_id = called(self.http, "v2 createTrainingJob", body, **self.values).json()["metadata"]["id"]
        self.emulator.clock.advance(3600 if state == "ended-job" else 1)
        return {"job": job_id, "training_job_id": job_id}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("observed")
    with Emulator(data_dir=folder, executor="simulated", check_responses=True) as emulator:
        service = Service(emulator)
        yield service
        service.http.close()


def called(http: httpx.Client, operation: str, body: Any = None, query: Any = None, **path: str) -> httpx.Response:
    """Send a request of a documented operation, `v2 createTrainingJob`."""
    name, _, operation_id = operation.partition(" ")
    found = operations(name)[operation_id]
    return http.request(found.method, found.path.format_map(path), json=body, params=query)


def replayed(http: httpx.Client, entry: Mapping[str, Any], placeholders: Mapping[str, str]) -> list[str]:
    """Where a response is not as it was observed; raises LookupError if what it was about does not exist."""
    request, expected = (filled(entry.get(part, {}), placeholders) for part in ("request", "response"))
    path = {**placeholders, **request.get("path", {})}
    response = called(http, entry["operation"], request.get("body"), request.get("query"), **path)
    status, shown = response.status_code, response.json()
    is_absent = is_not_found(entry["operation"].partition(" ")[0], status, dig(shown, "error_code"))
    if is_absent and expected.get("status", status) < 400:
        raise LookupError(f"the emulator has no such thing, so say what has to exist (`given`): {response.text}")
    found = [*differences(expected.get("status", status), status, "status")]
    for part in {"has", "body"} & expected.keys():
        found += differences(expected[part], shown)
    return found


def filled(value: Any, placeholders: Mapping[str, str]) -> Any:
    """The value with `$name` replaced."""
    if isinstance(value, dict):
        return {name: filled(entry, placeholders) for name, entry in value.items()}
    if isinstance(value, list):
        return [filled(entry, placeholders) for entry in value]
    return placeholders.get(value[1:], value) if isinstance(value, str) and value.startswith("$") else value


def differences(expected: Any, found: Any, place: str = "body") -> Iterator[str]:
    """Where a response is not as it was observed; it may have more members."""
    if expected == "$any" and found is not None:
        return
    if isinstance(expected, str) and expected.startswith("$contains ") and isinstance(found, str):
        if expected.removeprefix("$contains ") not in found:
            yield f"{place} is {found!r}"
    elif isinstance(expected, dict) and isinstance(found, dict):
        for name, value in expected.items():
            if name not in found:
                yield f"{place}.{name} is missing"
            else:
                yield from differences(value, found[name], f"{place}.{name}")
    elif isinstance(expected, list) and isinstance(found, list) and len(found) >= len(expected):
        for index, value in enumerate(expected):
            yield from differences(value, found[index], f"{place}.{index}")
    elif expected != found:
        yield f"{place} is {found!r}, not {expected!r}"


@pytest.mark.parametrize("name", REPLAYED)
def test_the_emulator_answers_as_the_service_was_seen_to_answer(service: Service, name: str) -> None:
    """Or it does not, and the observation says why; a reason that no longer holds fails, too."""
    entry = REPLAYED[name]
    placeholders = service.values | {"name": f"observed-{uuid.uuid4().hex[:12]}"}
    placeholders |= service.given(entry["given"]) if "given" in entry else {}

    found = replayed(service.http, entry, placeholders)

    assert bool(found) == ("differs" in entry), found or "nothing differs, or `has` does not state what does"


def test_an_effect_that_is_no_response_names_the_test_that_shows_it() -> None:
    for name in ENTRIES.keys() - REPLAYED.keys() - CONFIRMED:
        module, _, test = ENTRIES[name]["shown_by"].partition("::")
        assert f"def {test}(" in (ROOT / module).read_text("utf-8"), name


def test_an_observation_about_an_assumption_names_one_that_the_documents_have() -> None:
    """As soon as a document states what was observed, its `x-assumption` and this line of the observation go."""
    for name in [name for name, entry in ENTRIES.items() if "assumption" in entry]:
        document, _, place = ENTRIES[name]["assumption"].partition(" ")
        assert place in places(document), name


def test_every_observation_says_who_saw_it_and_how_strong_it_is() -> None:
    for name, entry in (ENTRIES | entries(OBSERVED / "pages-2021")).items():
        assert entry["observed"], name
        assert entry["source"], name
        assert entry["strength"] in STRENGTHS, name
        assert "operation" in entry or "shown_by" in entry, name
