"""Only who started the page uses it, and only from its own address."""

import hashlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from tests.overlays.ui.conftest import TOKEN, Served

import modelarts_toolkit
from modelarts_emulator.server import Emulator


def anonymous(served: Served) -> httpx.Client:
    return httpx.Client(base_url=served.url, trust_env=False, timeout=300)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Authorization": "Bearer ümlaut".encode("latin-1")}, 401),
        ({"Cookie": "modelarts-ui-{port}=wrong"}, 401),
        ({"Authorization": f"Bearer {TOKEN}", "Host": "attacker.example"}, 421),
        ({"Authorization": f"Bearer {TOKEN}", "Host": "127.0.0.1.attacker.example:{port}"}, 421),
        ({"Authorization": f"Bearer {TOKEN}", "Host": "127.0.0.1"}, 421),
        ({"Authorization": f"Bearer {TOKEN}", "Origin": "http://attacker.example"}, 403),
        ({"Authorization": f"Bearer {TOKEN}", "Origin": "null"}, 403),
        ({"Authorization": f"Bearer {TOKEN}"}, 200),
    ],
)
def test_a_request_that_is_not_of_the_page_s_user_is_rejected(
    served: Served, headers: dict[str, str | bytes], status: int
) -> None:
    """A page's HTML never comes with the rejection."""
    sent = [
        (name.encode(), each.format(port=served.port).encode() if isinstance(each, str) else each)
        for name, each in headers.items()
    ]
    paths = ("/", "/queue", "/storage", "/emulator")
    with anonymous(served) as client:
        found = {path: client.get(path, headers=sent) for path in paths}

    assert {path: (each.status_code, 'id="main"' in each.text) for path, each in found.items()} == dict.fromkeys(
        paths, (status, status == 200)
    )


@pytest.mark.parametrize("path", ["/", "/static/page.js", "/missing", "/session"])
def test_every_response_carries_the_strict_policy(served: Served, path: str) -> None:
    """Pages, files, errors and rejections."""
    headers = served.client.get(path).headers
    policy = headers["content-security-policy"]

    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cross-origin-resource-policy"] == "same-origin"


def test_the_token_is_exchanged_for_a_cookie_that_scripts_cannot_read(served: Served) -> None:
    with anonymous(served) as client:
        response = client.post("/session", data={"token": TOKEN})

        assert response.status_code == 303
        cookie = response.headers["set-cookie"]
        assert {"httponly", "samesite=strict"} <= {part.strip().lower() for part in cookie.split(";")}
        assert TOKEN not in cookie
        assert client.get("/").status_code == 200


@pytest.mark.parametrize("content", [b"", b"token=wrong", b"token=" + b"a" * 10_000, b"\xff\xfe", b"token=%ff"])
def test_anything_else_gives_no_cookie(served: Served, content: bytes) -> None:
    with anonymous(served) as client:
        response = client.post("/session", content=content)

    assert response.status_code in (401, 413)
    assert "set-cookie" not in response.headers


def test_a_write_needs_the_key_that_only_the_page_has(served: Served) -> None:
    """A cookie alone, which browsers add by themselves, changes nothing."""
    with anonymous(served) as client:
        client.post("/session", data={"token": TOKEN})

        assert client.post("/emulator/clear-calls").status_code == 403
        assert client.post("/emulator/clear-calls", headers={"x-page-key": "wrong"}).status_code == 403
        key = client.get("/").text.partition('name="page-key" content="')[2].partition('"')[0]
        assert client.post("/emulator/clear-calls", headers={"x-page-key": key}).status_code == 200


def test_no_secret_of_the_service_reaches_the_browser(served: Served, trained: object) -> None:
    secrets = [value for name, value in trained.environment().items() if "SECRET" in name or "TOKEN" in name]  # type: ignore[attr-defined]
    assert secrets
    for path in ("/", "/emulator", "/storage", "/queue", "/v1/jobs"):
        text = served.client.get(path).text
        assert not any(secret in text for secret in secrets), path


VENDOR = Path(modelarts_toolkit.__file__).parent / "ui" / "static" / "vendor"
# uPlot 1.6.32, with a line break at the end of texts
SHA256 = {
    "uPlot.iife.min.js": "19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f",
}
MOST_BYTES = 120_000  # of all that a page loads


def test_the_library_is_unchanged() -> None:
    found = {name: hashlib.sha256((VENDOR / name).read_bytes()).hexdigest() for name in SHA256}

    assert found == SHA256
    assert "MIT" in (VENDOR / "uPlot.LICENSE").read_text()


def test_a_page_loads_little() -> None:
    """All scripts, styles and pictures together."""
    files = [path for path in VENDOR.parent.rglob("*") if path.suffix in (".js", ".css", ".svg")]

    assert sum(path.stat().st_size for path in files) <= MOST_BYTES


PROGRAM = "from modelarts_toolkit.cli import main; main()"
LIMIT_S = 300


@contextmanager
def page(environment: dict[str, str], *options: str) -> Iterator[tuple[str, httpx.Client]]:
    """The address that the command prints, and a client with its token."""
    others = {name: value for name, value in os.environ.items() if not name.startswith(("MODELARTS_", "OS_"))}
    command = [sys.executable, "-c", PROGRAM, "ui", "--quiet", "--until-input-ends", *options]
    with subprocess.Popen(
        command, env={**others, **environment}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        url, _, token = address.partition("/#token=")
        headers = {"Authorization": f"Bearer {token}"}
        with httpx.Client(base_url=url, headers=headers, timeout=LIMIT_S, trust_env=False) as client:
            yield address, client
        assert process.stdin is not None
        process.stdin.close()
        process.wait(LIMIT_S)


def test_the_browser_s_arguments_do_not_have_the_token(emulator: Emulator, tmp_path: Path) -> None:
    """All users of a machine can read them; the browser gets a file, which is this user's alone and goes at the end."""
    seen = tmp_path / "seen"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\nstat -c %a "$(dirname "${{1#file://}}")" > {seen}.new\n')
    with browser.open("a") as script:
        script.write(f'cat "${{1#file://}}" >> {seen}.new\necho "$1" >> {seen}.new\nmv {seen}.new {seen}\n')
    browser.chmod(0o755)

    with page({**emulator.environment(), "BROWSER": f"{browser} %s"}) as (address, _):
        deadline = time.monotonic() + LIMIT_S
        while not seen.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        mode, content, argument = seen.read_text().splitlines()
    assert mode == "700"
    assert f'url={address}"' in content
    assert argument.startswith("file://")
    assert address.partition("token=")[2] not in argument
    assert not Path(argument.removeprefix("file://")).exists()


@pytest.mark.parametrize(("token", "is_emulator"), [(None, True), ("left-from-yesterday", False)])
def test_only_a_service_that_takes_the_control_token_is_an_emulator(
    emulator: Emulator, token: str | None, is_emulator: bool, tmp_path: Path
) -> None:
    """A token that is left in a variable does not make a service writable that is reached through this machine."""
    environment = emulator.environment()
    environment |= {"MODELARTS_EMULATOR_TOKEN": token, "MODELARTS_EMULATOR_DATA_DIR": str(tmp_path)} if token else {}

    with page(environment, "--no-browser") as (_, client):
        control, stop = client.get("/emulator"), client.post("/jobs/missing/stop")

    assert (control.status_code == 200) == is_emulator
    assert (stop.status_code != 403) == is_emulator
    assert ("This page only reads from a cloud" in stop.text) != is_emulator
