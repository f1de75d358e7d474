"""Only who started the page uses it, and only from its own address."""

import httpx
import pytest

from .conftest import TOKEN, Served


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
    with anonymous(served) as client:
        for path in ("/", "/queue", "/storage", "/emulator"):
            response = client.get(path, headers=sent)

            assert response.status_code == status
            assert (status == 200) == ('id="main"' in response.text)


def test_every_response_carries_the_strict_policy(served: Served) -> None:
    """Pages, files, errors and rejections."""
    for path in ("/", "/static/page.js", "/missing", "/session"):
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
        assert not any(secret in text for secret in secrets)
