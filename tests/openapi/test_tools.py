"""Other tools accept the published documents without flags, warnings included.

The tools are installed into .cache at the first run.
"""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from .conftest import operations

PUBLISHED = Path(__file__).parents[2] / "generated" / "modelarts_openapi"
TOOLS = Path(__file__).parents[2] / ".cache" / "document-tools"
NPM_PACKAGES = (
    "@hey-api/openapi-ts@0.99.0",
    "@redocly/cli@2.77.0",
    "@stoplight/prism-cli@5.16.0",
    "@stoplight/spectral-cli@6.16.3",
    "openapi-typescript@7.13.0",
    "typescript@5.9.3",
)
GENERATOR = "openapi-generator-cli==7.26.0"  # its wheel holds the program for Java
INSTALL_TIMEOUT_S = 600
TOOL_TIMEOUT_S = 120
PRISM_START_S = 60

pytestmark = [pytest.mark.soak, pytest.mark.timeout(INSTALL_TIMEOUT_S + TOOL_TIMEOUT_S)]


def install(target: Path, command: list[str]) -> None:
    """Install tools once; what was installed is noted in a file, so that another version is installed anew."""
    note = target / "installed.json"
    if note.exists() and json.loads(note.read_text()) == command:
        return
    target.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(command, cwd=target, capture_output=True, text=True, timeout=INSTALL_TIMEOUT_S, check=False)
    if done.returncode:
        pytest.skip(f"{command[0]} cannot install the tools: {done.stderr[-400:]}")
    note.write_text(json.dumps(command))


@pytest.fixture(scope="session")
def npm() -> Path:
    """The folder of the programs that npm installs."""
    if shutil.which("npm") is None:
        pytest.skip("these tools need npm, which is not installed")
    install(TOOLS / "npm", ["npm", "install", "--prefix", ".", "--no-audit", "--no-fund", *NPM_PACKAGES])
    return TOOLS / "npm" / "node_modules" / ".bin"


@pytest.fixture(scope="session")
def generator() -> list[str]:
    """The command that starts openapi-generator."""
    if shutil.which("java") is None:
        pytest.skip("openapi-generator needs Java, which is not installed")
    install(TOOLS / "java", [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", ".", GENERATOR])
    return ["java", "-jar", str(TOOLS / "java" / "openapi_generator_cli" / "openapi-generator.jar")]


def run(*command: str | Path, folder: Path) -> str:
    """The output of a tool, which must end with status 0."""
    done = subprocess.run(
        [str(word) for word in command], cwd=folder, capture_output=True, text=True, timeout=TOOL_TIMEOUT_S, check=False
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-6000:]
    return done.stdout + done.stderr


def published(name: str) -> Path:
    return PUBLISHED / f"{name}.json"


def test_redocly_has_no_warning(npm: Path, tmp_path: Path, name: str) -> None:
    output = run(npm / "redocly", "lint", "--extends", "recommended", published(name), folder=tmp_path)

    assert not re.search(r"You have \d+ (warning|error)", output), output


def test_spectral_has_no_warning(npm: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / "rules.yaml").write_text('extends: ["spectral:oas"]\n')

    run(npm / "spectral", "lint", "--fail-severity", "hint", "-r", "rules.yaml", published(name), folder=tmp_path)


def test_openapi_typescript_makes_types_that_compile(npm: Path, tmp_path: Path, name: str) -> None:
    run(npm / "openapi-typescript", published(name), "-o", "types.ts", folder=tmp_path)

    run(npm / "tsc", "--noEmit", "--strict", "--target", "es2022", "types.ts", folder=tmp_path)


def test_hey_api_makes_a_client(npm: Path, tmp_path: Path, name: str) -> None:
    run(npm / "openapi-ts", "-i", published(name), "-o", "client", "--no-log-file", folder=tmp_path)

    assert (tmp_path / "client" / "types.gen.ts").stat().st_size > 0


def test_openapi_generator_accepts_the_document(generator: list[str], tmp_path: Path, name: str) -> None:
    run(*generator, "validate", "-i", published(name), folder=tmp_path)


@pytest.mark.parametrize("language", ["go", "java"])
def test_openapi_generator_makes_a_client(generator: list[str], tmp_path: Path, name: str, language: str) -> None:
    run(*generator, "generate", "-g", language, "-i", published(name), "-o", "client", folder=tmp_path)


@pytest.fixture
def mock(npm: Path, tmp_path: Path, name: str) -> Iterator[str]:
    """The address of a mock server that Prism makes of the document."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [str(npm / "prism"), "mock", "--host", "127.0.0.1", "--port", str(port), str(published(name))]
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
    path, query = operation.path, {}
    for parameter in map(operation.resolve, operation.parameters):
        schema = operation.resolve(parameter["schema"])
        value = schema.get("enum", [schema.get("minimum", 1) if schema["type"] == "integer" else "a"])[0]
        if parameter["in"] == "path":
            path = path.replace(f"{{{parameter['name']}}}", str(value))
        elif parameter.get("required"):
            query[parameter["name"]] = value
    method = next(m for m, facts in operation.document["paths"][operation.path].items() if facts is operation.facts)
    bodies = [payload for _, payload, schema in operation.examples if schema == operation.request_schema]
    return {"method": method.upper(), "url": path, "params": query, **({"json": bodies[0]} if bodies else {})}
