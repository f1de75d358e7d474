"""Tools of others accept the published documents with their defaults, and run the use cases; `make stock-tools`.

`make` installs the tools into .cache/stock-tools, as requirements/stock-tools pins them.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import botocore.config
import httpx
import pytest
from tests.local_servers import free_ports
from tests.openapi.conftest import DOCUMENTS, operations

from modelarts_contract import login
from modelarts_contract.emulator import login_of
from modelarts_emulator.server import Emulator

ROOT = Path(__file__).parents[2]
PUBLISHED = ROOT / "generated" / "modelarts_openapi"
TOOLS = ROOT / ".cache" / "stock-tools"
NPM = TOOLS / "node_modules" / ".bin"
SCRIPTS = Path(sys.executable).parent
GENERATOR = TOOLS / "python" / "openapi_generator_cli" / "openapi-generator.jar"
LANGUAGES = ("python", "typescript-fetch")
TOOL_TIMEOUT_S = 300
PRISM_START_S = 60
# What openapi-generator warns of, and why it stays so.
GENERATOR_WARNINGS = {
    "OpenAPI 3.1 support is still in beta": "of every document of this version",
    "Failed to get the schema name: null": "of a schema that is written where it is used",
    r"Error \(model name matches existing language type\)": "TypeScript has this class; it becomes ModelError",
}
# Why the emulator rejects requests that the documents allow: nothing in a schema can say it.
REJECTED = {
    r"not found|does(n't| not) exist|There is already": "what exists is not in a document; the API says 400, not 404",
    r"this limit is the emulator's own": "a limit that no page states binds nobody but the emulator's clients",
    r"ModelArts\.2858|[Tt]he emulator (does not|has no)": "the emulator lacks it, and names it",
    r"Sorting by .* is not supported": "no page has the list of what can be sorted by",
    r"no two have the same": "a condition for each key: JSON Schema compares whole entries only",
    r"give a project or a domain, not both": "a request with both is read as one by nobody",
}
# Where code and data of the use cases lie, by their pages.
USE_CASES = {
    "train-with-tensorflow": (
        "test-modelarts/mnist-tensorflow-code/train_mnist_tf.py",
        "test-modelarts/dataset-mnist/train-images",
    ),
    "train-with-pytorch": (
        "cnnorth4-job-test-v2/pytorch/fast_example/code/cpu/test-pytorch.py",
        "cnnorth4-job-test-v2/pytorch/fast_example/data/digits.csv",
    ),
}

pytestmark = [pytest.mark.tools, pytest.mark.timeout(2 * TOOL_TIMEOUT_S)]


def run(*command: str | Path, folder: Path, statuses: tuple[int, ...] = (0,)) -> str:
    """The output of a tool, which must end with one of these exit statuses."""
    environment = {**os.environ, "PATH": f"{SCRIPTS}{os.pathsep}{os.environ['PATH']}", "NO_COLOR": "1"}
    done = subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=TOOL_TIMEOUT_S,
        check=False,
        env=environment,
    )
    assert done.returncode in statuses, (done.stdout + done.stderr)[-6000:]
    return done.stdout + done.stderr


def published(name: str) -> Path:
    return PUBLISHED / f"{name}.json"


@pytest.fixture(scope="module")
def emulator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulator]:
    with Emulator(tmp_path_factory.mktemp("emulator"), executor="simulated") as started:
        yield started


@pytest.fixture(scope="module")
def token(emulator: Emulator) -> str:
    return login.token(emulator.endpoint, login_of(emulator.environment()))


def test_redocly_has_no_warning(tmp_path: Path, name: str) -> None:
    output = run(NPM / "redocly", "lint", "--extends", "recommended", published(name), folder=tmp_path)

    assert not re.search(r"You have \d+ (warning|error)", output), output


def test_spectral_has_no_warning(tmp_path: Path, name: str) -> None:
    (tmp_path / "rules.yaml").write_text('extends: ["spectral:oas"]\n')

    run(NPM / "spectral", "lint", "--fail-severity", "hint", "-r", "rules.yaml", published(name), folder=tmp_path)


def test_openapi_typescript_makes_types_that_compile(tmp_path: Path, name: str) -> None:
    run(NPM / "openapi-typescript", published(name), "-o", "types.ts", folder=tmp_path)

    run(NPM / "tsc", "--noEmit", "--strict", "--target", "es2022", "types.ts", folder=tmp_path)


def test_hey_api_makes_a_client(tmp_path: Path, name: str) -> None:
    run(NPM / "openapi-ts", "-i", published(name), "-o", "client", "--no-log-file", folder=tmp_path)

    assert (tmp_path / "client" / "types.gen.ts").stat().st_size > 0


def test_openapi_generator_makes_clients_and_warns_of_nothing_new(tmp_path: Path) -> None:
    """All languages and documents in one process, of which most of the time is the start."""
    configurations = []
    for language in LANGUAGES:
        for name in ("iam", "v1", "v2"):
            file = tmp_path / f"{name}-{language}.json"
            settings = {"generatorName": language, "inputSpec": str(published(name)), "outputDir": file.stem}
            file.write_text(json.dumps(settings))
            configurations.append(file)
    output = run("java", "-jar", GENERATOR, "batch", "--fail-fast", *configurations, folder=tmp_path)

    warnings = [line for line in output.splitlines() if re.search(r"\b(WARN|ERROR)\b", line)]
    assert [line for line in warnings if not any(re.search(known, line) for known in GENERATOR_WARNINGS)] == []
    assert all((tmp_path / file.stem).is_dir() for file in configurations)


CALLS = {
    "iam": "from client.api.projects import list_projects as call; arguments = {}",
    "v1": "from client.api.training_jobs import list_training_jobs as call; arguments = {'project_id': project}",
    "v2": """
from client.api.training_jobs import list_training_jobs as call
from client.models import ListTrainingJobsRequest
arguments = {'project_id': project, 'body': ListTrainingJobsRequest()}
""",
}


def test_openapi_python_client_makes_a_client_that_lists_jobs(
    emulator: Emulator, token: str, tmp_path: Path, name: str
) -> None:
    """With its defaults, without a configuration; every module of the client can be imported."""
    output = run(
        SCRIPTS / "openapi-python-client", "generate", "--path", published(name), "--output-path", "client",
        "--meta", "none", folder=tmp_path,
    )  # fmt: skip
    program = f"""
import importlib, pkgutil, sys
import client
for module in pkgutil.walk_packages(client.__path__, "client."):
    importlib.import_module(module.name)
endpoint, token, project = sys.argv[1:]
{CALLS[name]}
connected = client.AuthenticatedClient(endpoint, token, prefix="", auth_header_name="X-Auth-Token")
print(call.sync_detailed(client=connected, **arguments).status_code.value)
"""
    project = emulator.environment()["MODELARTS_PROJECT_ID"]
    listed = run(sys.executable, "-c", program, emulator.endpoint, token, project, folder=tmp_path)

    assert "Warning" not in output
    assert listed == "200\n"


def test_what_schemathesis_finds_is_explained(emulator: Emulator, token: str, tmp_path: Path, name: str) -> None:
    """Its own `st run`, which is given a token and a project only."""
    (tmp_path / "st.toml").write_text(
        f'[parameters]\nproject_id = "{emulator.environment()["MODELARTS_PROJECT_ID"]}"\n'
    )
    output = run(
        SCRIPTS / "st", "--config-file", "st.toml", "run", published(name), "--url", emulator.endpoint, "--no-color",
        "--seed", "1", "--max-examples", "3", "-H", f"X-Auth-Token: {token}", folder=tmp_path, statuses=(0, 1),
    )  # fmt: skip
    kinds = set(re.findall(r"^- (.*)$", output, re.MULTILINE))
    accepted = re.findall(r"^- ST201 .*?Invalid component: (.*?)$", output, re.MULTILINE | re.DOTALL)
    responses = re.findall(r"^\[(\d+)\] .*:\n\n    `(.*)`$", output, re.MULTILINE)
    rejected = [(status, text) for status, text in responses if not status.startswith("2")]

    assert {kind.partition(" ")[0] for kind in kinds} <= {"ST101", "ST201", "ST202"}  # 501, null for a list, limits
    assert [what for what in accepted if not what.endswith(": Incorrect type")] == []
    assert len(responses) - len(rejected) == len(accepted)
    assert [text for _, text in rejected if not any(re.search(known, text) for known in REJECTED)] == []
    assert {status for status, _ in rejected} <= {"400", "501"}


@pytest.mark.parametrize("use_case", USE_CASES)
def test_respect_runs_the_use_case(emulator: Emulator, tmp_path: Path, use_case: str) -> None:
    """Redocly's runner of Arazzo documents; every response has the documented status, type and schema."""
    [document] = DOCUMENTS.glob(f"*/workflows/{use_case}.yaml")
    user = emulator.environment()
    store = boto3.client(
        "s3",
        endpoint_url=user["AWS_ENDPOINT_URL_S3"],
        aws_access_key_id=user["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=user["AWS_SECRET_ACCESS_KEY"],
        region_name="local",
        config=botocore.config.Config(s3={"addressing_style": "path"}),
    )
    for bucket, _, key in (place.partition("/") for place in USE_CASES[use_case]):
        if bucket not in [each["Name"] for each in store.list_buckets()["Buckets"]]:
            store.create_bucket(Bucket=bucket)
        store.put_object(Bucket=bucket, Key=key, Body=b"print('Done.')\n")
    inputs = {
        "username": user["OS_USERNAME"],
        "password": user["OS_PASSWORD"],
        "domain": user["OS_USER_DOMAIN_NAME"],
        "project": user["OS_PROJECT_NAME"],
        "project_id": user["MODELARTS_PROJECT_ID"],
    }
    options = [word for key, value in inputs.items() for word in ("-i", f"{key}={value}")]
    options += [word for source in ("iam", "v1", "v2") for word in ("-S", f"{source}={emulator.endpoint}")]
    linted = run(NPM / "redocly", "lint", document, folder=tmp_path)
    output = run(NPM / "redocly", "respect", document, *options, folder=tmp_path)

    assert not re.search(r"You have \d+ (warning|error)", linted), linted
    assert re.search(r"Steps: (\d+) passed, \1 total", output), output


@pytest.fixture
def mock(tmp_path: Path, name: str) -> Iterator[str]:
    """The address of a mock server that Prism makes of the document."""
    (port,) = free_ports(1)
    command = [str(NPM / "prism"), "mock", "--host", "127.0.0.1", "--port", str(port), str(published(name))]
    with (tmp_path / "prism.log").open("w") as log:
        server = subprocess.Popen(command, cwd=tmp_path, stdout=log, stderr=subprocess.STDOUT)
    try:
        give_up = time.monotonic() + PRISM_START_S
        while "Prism is listening" not in (tmp_path / "prism.log").read_text():
            assert server.poll() is None, (tmp_path / "prism.log").read_text()
            assert time.monotonic() < give_up, "Prism does not start"
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait()


def test_prism_serves_every_operation_as_documented(mock: str, name: str) -> None:
    """Prism does not respond with 300, the only success of `listVersions`."""
    unlike = {}
    with httpx.Client(base_url=mock, headers={"X-Auth-Token": "token"}, timeout=TOOL_TIMEOUT_S) as client:
        for operation in filter(has_body, operations()):
            if operation.name == name and any(status[0] == "2" for status in operation.successes):
                status = client.request(**request(operation)).status_code
                if str(status) not in operation.successes:
                    unlike[operation.id] = status

    assert unlike == {}


def has_body(operation: Any) -> bool:
    """Whether an example shows the request, or it needs no body."""
    schema = operation.request_schema
    return schema is None or any(each == schema for _, _, each in operation.examples)


def request(operation: Any) -> dict[str, Any]:
    """A request with the first example as its body, and the least value of every mandatory parameter."""
    path = operation.path
    query: dict[str, Any] = {}
    headers: dict[str, Any] = {}
    for parameter in operation.parameters:
        schema = operation.resolve(parameter["schema"])
        value = schema.get("enum", [schema.get("minimum", 1) if schema["type"] == "integer" else "a"])[0]
        if parameter["in"] == "path":
            path = path.replace(f"{{{parameter['name']}}}", str(value))
        elif parameter.get("required"):
            (query if parameter["in"] == "query" else headers)[parameter["name"]] = value
    bodies = [payload for _, payload, schema in operation.examples if schema == operation.request_schema]
    body = {"json": bodies[0]} if bodies else {}
    return {"method": operation.method, "url": path, "params": query, "headers": headers, **body}
