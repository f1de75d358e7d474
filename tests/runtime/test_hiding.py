"""What stands for a secret in texts, what does not, and that no text makes the search slow."""

import ast
import html
import json
import re
import time
from base64 import b64encode
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import modelarts_toolkit
from modelarts_documents.secrets import secrets_in, without_parameters, without_secrets
from modelarts_runtime import hiding
from modelarts_runtime.errors import ApiError
from modelarts_toolkit.errors import ConfigError
from modelarts_toolkit.http.redaction import redact
from modelarts_toolkit.storage.bucket_requests import _message
from modelarts_toolkit.urls import checked_proxy

UNUSUAL = [
    "K3x9z-long",
    "ab1%c",
    "abc",
    "1234",
    "Error",
    "a\\n",
    "\\n.x'\"",
    '"\\"é',
    "a + + b + + c",
    "K3 \\ \\ \\n 9z",
]
REPEATED = [
    *("a-", "a_", "a", "a-a_s", "3f2504e0-4f89-11d3-9a0c-0305e82c3301_", "QUJDab12", "Wz+/", "1 ", "K3", "K3x9z-"),
    *("\\", "\\n", "\\\\n", '\\"', '\\\\"', "'", '"', "\"'", "\\'", "&", "&a=", "&amp;", "?", "#", "=", ":", ","),
    *("://", "://a", "://a:b", "@", "://@", "[", "]", "{", "}", '{"', '["', "%", "%5C", "%20", "%2", " ", "\n", "a "),
    *("token", "token=", "token: ", "token:1 ", 'token"', '"token":', '"token":{', "token\\", "X-Auth-Token', b'"),
    *("signature", "signature=", "x-signature-", "illegal header value ", "illegal header value '", "(b'", "(b'a', b'"),
    *("<Code>", "<Code></Code>", "<Code>a</Code><Message>", '"password":"abc",', "a + ", "K3 \\ ", "é", "-1", "&#39;"),
]


def _raise(text):
    request = httpx.Request("POST", "https://h/", json={"password": "abc", "token": "K3\\ x'\""})
    for content in ({"text": text}, {"json": {"error_msg": text, "secret": text[:99]}}):
        str(ApiError.from_response(httpx.Response(400, request=request, **content)))


SEARCHES = {
    "hide": lambda text: [hiding.hide(text, [secret]) for secret in UNUSUAL],
    "redact": redact,
    "parameters": without_parameters,
    "members": lambda text: [*secrets_in(text), without_secrets(text)],
    "errors": _raise,
    "obs": lambda text: _message(httpx.Response(400, text=text)),
}


def _seconds(search, text):
    start = time.thread_time()
    search(text)
    return time.thread_time() - start


@pytest.mark.parametrize("search", SEARCHES)
def test_no_text_makes_a_search_slow(search):
    """Time grows with the text, not with its square."""
    for part in REPEATED:
        for before, after in (("", ""), ("token=", "'")):
            texts = [before + part * (size // len(part)) + after for size in (1_000, 16_000)]
            few, many = (_seconds(SEARCHES[search], text) for text in texts)
            if many > 0.05 and many > 40 * few:  # once more, if the machine was busy
                few, many = (min(_seconds(SEARCHES[search], text) for _ in range(3)) for text in texts)
            assert many < max(0.05, 40 * few), (part, before, few, many)


def test_many_secrets_in_a_response_are_hidden_soon():
    many = {f"password{number}": f"K3x{number}-{'y' * 20}" for number in range(4000)}
    response = httpx.Response(400, request=httpx.Request("GET", "https://h/"), json={**many, "token": "K3." * 30_000})
    start = time.thread_time()
    error = ApiError.from_response(response)
    assert "K3" not in f"{error} {error.body}"
    assert time.thread_time() - start < 5


def _quoted(text):
    """The text as a service, a log or a traceback may write it."""
    yield from (text, repr(text), repr(text.encode()), json.dumps(text), json.dumps({"error_msg": text}), repr([text]))
    yield from (html.escape(text), quote(text), quote(text, safe=""), repr(json.dumps(text)))


def _named(secret):
    """Texts in which a name stands beside the secret."""
    line = f"GET / HTTP/1.1\r\nX-Auth-Token: {secret}\r\nHost: h\r\n\r\n"
    yield from (line, f"x-security-token:{secret}", f"https://h/?a=1&token={secret}&b=2", f"password = {secret!r}")
    for body in (
        {"password": secret},
        {"a": {"secretKey": [secret]}},
        {"token": {"id": secret}},
        {"db_password2": secret},
    ):
        yield from (json.dumps(body), json.dumps(body, indent=2), json.dumps(body, separators=(",", ":")), repr(body))
    yield from (repr([(b"X-Auth-Token", secret.encode())]), json.dumps([["Cookie", secret]]))
    yield f"<access_key>{html.escape(secret)}</access_key>"


@pytest.mark.parametrize("secret", ["z", "zq", "zqj", "7777", "Zqjxw", "zqjxwvk", "ZQJX", "zq'", "z;j", "77777777"])
def test_a_secret_of_any_length_is_hidden_behind_its_name(secret):
    for text in _named(secret):
        for quoted in _quoted(text):
            assert secret not in hiding.hide(quoted, [secret]), quoted


@pytest.mark.parametrize(
    ("secret", "text"),
    [
        ("1234", "job 12345678-1234-4000-8000-123412341234 at 127.0.0.05:1234: 1234 records"),
        ("20250801", "job-20250801 of 20250801"),
        ("Error", "Error: NotFound (ModelArts.Error)"),
        ("token", "the token is missing: set MODELARTS_TOKEN (token)"),
        ("it", "it is a token, and it ends"),
        ("abc", "abc, abcd: abc"),
        ("ab12", "job ab123 of cab12 and xab12y"),
        ("K3-9z", "K3-9za, aK3-9z"),
    ],
)
def test_a_word_a_number_and_a_part_of_a_word_stay(secret, text):
    hiding.remember(secret)

    assert hiding.hide(text) == redact(text) == text


@pytest.mark.parametrize("secret", ["swordfish", "Swordfish", "SWORDFISH", "1234", "20250801", "K3-9z"])
def test_a_whole_word_that_a_call_had_as_a_secret_is_hidden_in_what_it_brought(secret):
    """A service may repeat it without its name; a part of another word stays."""
    assert hiding.hide(f"wrong password {secret}, not x{secret} ({secret}).", [secret]) == (
        f"wrong password ***, not x{secret} (***)."
    )
    assert hiding.hide("it is not in it", ["it"]) == "it is not in it"


@given(st.from_regex(r"\A[a-z][0-9]['\"\\%&=+/<>#@:;,?! é]{1,3}[A-Z][0-9]\Z"))
def test_a_short_secret_is_hidden_as_a_whole_word(secret):
    for text in (secret, f"x {secret} y", f"('{secret}',)", f"a\n{secret}\té\u2028{secret}", f"user:{secret}@host"):
        for quoted in _quoted(text):
            hidden = hiding.hide(quoted, [secret])
            assert not re.search(rf"{secret[0]}{secret[1]}\W.*{secret[-2:]}", hidden, re.DOTALL), (quoted, hidden)
    assert (
        hiding.hide(b64encode(f"u:{secret}".encode()).decode(), [secret]) != b64encode(f"u:{secret}".encode()).decode()
    )


@given(st.text(st.sampled_from("q'\"&#? \\=;,<>)]é%"), min_size=1, max_size=8))
@example("'uo\"te")
@example("@ss&tail")
@example("#tail")
def test_no_rest_of_a_known_secret_is_logged(middle):
    secret = f"K3{middle}tail9z"
    hiding.remember(secret)
    for place in (
        "?X-Auth-Token={}",
        "https://h/?a=1&sign={}&b=2",
        "signature={}",
        "https://u:{}@h/",
        "[(b'Cookie', {})]",
    ):
        for written in (secret, quote(secret, safe=""), json.dumps(secret), repr(secret.encode())):
            logged = redact(place.format(written))
            assert "tail9z" not in logged, (place, written)
            assert "***" in logged, (place, written)
    hiding._secrets.clear()


def test_the_remedy_for_a_proxy_can_be_read():
    with pytest.raises(ConfigError, match=r"write it as http://\[USER:PASSWORD@\]HOST:PORT$"):
        checked_proxy("MODELARTS_PROXY", "http://h:80/path")
    for login in ("USER1:PASSWORD", "[USER:PASSWORD2", "user:pw"):
        text = f"http://{login}@h"
        assert hiding.hide(text) in ("http://***@h", "http://[***@h"), text


def test_no_text_of_the_toolkit_is_taken_for_a_secret():
    folder = Path(modelarts_toolkit.__file__).parents[1]
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            for part in ast.walk(node) if isinstance(node, ast.Raise) else ():
                if isinstance(part, ast.Constant):
                    text = str(part.value)
                    assert hiding.hide(text) == text, (path, text)
