"""No error, traceback or log shows a configured secret, however a call fails and wherever the secret was set."""

import asyncio
import html
import json
import logging
import re
import socket
import socketserver
import threading
import traceback
import urllib.parse
from base64 import b64encode, urlsafe_b64encode

import httpx
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tests.local_servers import free_ports

from modelarts_runtime import hiding
from modelarts_runtime.client import Client
from modelarts_toolkit import (
    AkSkAuth,
    ApiError,
    AsyncModelArts,
    Config,
    ConfigError,
    ConnectionFailed,
    ModelArts,
    ToolkitError,
)
from modelarts_toolkit.auth.tokens import IamTokenAuth, TokenAuth
from modelarts_toolkit.cli.commands import modelarts
from modelarts_toolkit.settings.sources import ENVIRONMENT

LETTERS = st.sampled_from("abXY01'\"\\%&=+/<>#@:;,?!(){}[] \té…ß\U0001f600")
SECRETS = st.text(LETTERS, min_size=6, max_size=24).map(lambda text: f"K3{text}9z")
HEADER_SECRETS = st.text(st.sampled_from("abXY01'\"\\%&=+/<>#@:;,?!(){}[] \t"), min_size=6, max_size=24).map(
    lambda text: f"K3{text}9z"
)
AROUND = st.sampled_from(["", "\n", "\r\n", " ", "\ufeff", "\t\n"])
LOGINS = {
    "token": ("token",),
    "password": ("password",),
    "keys": ("access_key", "secret_key", "security_token"),
}
FAILURES = (
    *("refused", "silent", "tls", "proxy", "closed"),
    *(
        "status line",
        "reason",
        "header name",
        "chunk",
        "encoding",
        "json",
        "text",
        "request id",
        "redirect",
        "odd token",
    ),
)


def spellings(secret):
    data = secret.encode()
    yield secret
    yield from (urllib.parse.quote(secret), urllib.parse.quote(secret, safe=""), urllib.parse.quote_plus(secret))
    yield from (json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1], html.escape(secret))
    yield from (repr(secret)[1:-1], repr(data)[2:-1], ascii(secret)[1:-1], repr(repr(data))[1:-1])
    yield from (b64encode(data).decode().rstrip("="), urlsafe_b64encode(b"u:" + data).decode().rstrip("="))


def shown(secret, text):
    """The spellings of a secret that a text has."""
    return [each for each in dict.fromkeys(spellings(secret)) if each in text]


class _Echo(socketserver.StreamRequestHandler):
    """Responds with what it got, by the kind of failure that the path begins with."""

    def handle(self):
        head = b""
        while b"\r\n\r\n" not in head and len(head) < 65536 and (line := self.rfile.readline()):
            head += line
        found = re.search(rb"content-length: (\d+)", head, re.IGNORECASE)
        body = self.rfile.read(int(found[1])) if found else b""
        everything = head + body
        secret = b" ".join(re.findall(rb"(?im)^(?:x-auth-token|x-security-token|authorization): (.*)\r$", head))
        path = head.split(b" ")[1] if b" " in head else b""
        kind = urllib.parse.unquote(path.decode().split("/")[1]) if path.count(b"/") else ""
        text = everything.decode("utf-8", "replace")
        if kind == "silent":
            threading.Event().wait(0.4)
        elif kind == "closed":
            return
        elif kind == "status line":
            self.wfile.write(secret + everything)
        elif kind == "header name":
            self.wfile.write(b"HTTP/1.1 200 OK\r\n" + secret + b"\r\n" + everything)
        elif kind == "chunk":
            self.wfile.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + everything)
        elif kind == "encoding":
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n" + everything)
        elif kind == "reason":
            self.wfile.write(b"HTTP/1.1 400 " + (secret or b"x") + b"\r\nConnection: close\r\n\r\n")
        elif kind == "request id":
            self.wfile.write(b"HTTP/1.1 400 Bad\r\nX-Request-Id: " + secret + b"\r\nConnection: close\r\n\r\n")
        elif kind == "redirect":
            place = urllib.parse.quote(secret)
            self.wfile.write(f"HTTP/1.1 302 F\r\nLocation: /x/{place}\r\nConnection: close\r\n\r\n".encode())
        elif kind == "text":
            forms = f"{text} {text!r} {everything!r} {html.escape(text)} {urllib.parse.quote(text)} "
            self._send(400, forms + b64encode(everything).decode())
        else:
            self._send(400, json.dumps({"error_code": text, "error_msg": repr(everything), "error_solution": text}))

    def _send(self, status, text):
        data = text.encode()
        self.wfile.write(f"HTTP/1.1 {status} Bad\r\nContent-Length: {len(data)}\r\n\r\n".encode() + data)


@pytest.fixture(scope="module")
def echo():
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), _Echo) as server:
        server.daemon_threads = True
        server.handle_error = lambda *_: None  # type: ignore[method-assign]  # clients that are gone
        threading.Thread(target=server.serve_forever, args=[0.01]).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


class _Records(logging.Handler):
    def __init__(self):
        super().__init__(logging.DEBUG)
        self.texts = []

    def emit(self, record):
        self.texts.append(self.format(record))


@pytest.fixture
def logged():
    handler, root = _Records(), logging.getLogger()
    root.addHandler(handler)
    before, root.level = root.level, logging.DEBUG
    yield handler.texts
    root.removeHandler(handler)
    root.setLevel(before)


def _place(echo, failure):
    if failure == "refused":
        return f"http://127.0.0.1:{free_ports(1)[0]}"
    if failure == "tls":
        return echo.replace("http://", "https://")
    if failure == "proxy":
        return "http://ma.example"
    return f"{echo}/{urllib.parse.quote(failure)}"


def _source(source, login, found, folder):
    """The arguments of ModelArts, and the environment, that have these settings."""
    if source == "arguments":
        return found, {}
    if source == "profile":
        lines = "".join(f"{name} = {json.dumps(value, ensure_ascii=False)}\n" for name, value in found.items())
        (folder / "config.toml").write_bytes(b"\xef\xbb\xbf" + f"[profiles.work]\n{lines}".encode())
        return {"profile": "work"}, {"MODELARTS_CONFIG_FILE": str(folder / "config.toml")}
    if source == "cloud":
        names = {"endpoint": "modelarts_endpoint_override", "iam_endpoint": "auth_url", "domain_name": "domain_name"}
        cloud = {names.get(name, name): value for name, value in found.items()}
        (folder / "clouds.yaml").write_text(json.dumps({"clouds": {"work": cloud}}))
        return {"cloud": "work"}, {"OS_CLIENT_CONFIG_FILE": str(folder / "clouds.yaml")}
    variables = {}
    for name, value in found.items():
        variables[ENVIRONMENT[name][0 if source == "MODELARTS" else -1]] = value
    return {}, variables


def _call(ma):
    return ma.v2.flavors.show_training_job_flavors()


def _call_async(arguments):
    async def call():
        async with AsyncModelArts(**arguments) as ma:
            await ma.v2.flavors.show_training_job_flavors()

    asyncio.run(call())


def _texts(error):
    yield from (str(error), repr(error), "".join(traceback.format_exception(error)))
    yield repr(error.args)
    yield repr(vars(error))


@given(
    secrets=st.lists(SECRETS | HEADER_SECRETS, min_size=3, max_size=3, unique=True),
    around=AROUND,
    source=st.sampled_from(["arguments", "MODELARTS", "others", "profile", "cloud"]),
    login=st.sampled_from(sorted(LOGINS)),
    failure=st.sampled_from(FAILURES),
    is_async=st.booleans(),
)
@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@example(["K3token-9z", "x" * 9, "y" * 9], "\r\n", "arguments", "token", "status line", False)
@example(["K3AK-9z", "K3SK-9z", "K3STS+/=9z"], "\r\n", "others", "keys", "text", False)
def test_no_door_shows_a_secret(echo, logged, tmp_path, monkeypatch, secrets, around, source, login, failure, is_async):
    logged.clear()
    given_secrets = dict(zip(LOGINS[login], secrets, strict=False))
    if failure == "odd token":
        given_secrets = {name: f"{value[:3]}\r\n{value[3:]}" for name, value in given_secrets.items()}
    found = {"endpoint": _place(echo, failure), "project_id": "p"}
    if login == "password":
        found |= {"iam_endpoint": found["endpoint"], "username": "u", "domain_name": "d"}
    found |= {name: around + value + around for name, value in given_secrets.items()}
    errors = []
    with monkeypatch.context() as patched:
        patched.setenv("MODELARTS_CONFIG_FILE", str(tmp_path / "none.toml"))
        arguments, variables = _source(source, login, found, tmp_path)
        if not arguments:
            (tmp_path / "none.toml").touch()
        for name, value in variables.items():
            patched.setenv(name, value)
        arguments = {**arguments, "retries": 1, "timeout_s": 0.1 if failure == "silent" else 5.0}
        proxy_secret = secrets[2]
        if failure == "proxy":
            arguments["proxy"] = echo.replace("://", f"://user:{urllib.parse.quote(proxy_secret, safe='')}@")
        try:
            if is_async:
                _call_async(arguments)
            else:
                with ModelArts(**arguments) as ma:
                    _call(ma)
        except Exception as error:
            errors.append(error)
    assert errors, "the call must fail"
    text = "\n".join([*logged, *(text for error in errors for text in _texts(error))])
    looked_for = [*given_secrets.values(), *([proxy_secret] if failure == "proxy" else [])]
    for secret in [each.strip() for each in looked_for]:
        assert shown(secret, text) == [], text
    assert not re.search(r"(?i)\bsignature=[0-9a-f]{20}", text), text
    assert isinstance(errors[0], ToolkitError), errors


@given(secret=HEADER_SECRETS, failure=st.sampled_from(["status line", "text", "json", "reason", "odd token"]))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_generated_client_alone_shows_no_token(echo, logged, secret, failure):
    logged.clear()
    client = Client(_place(echo, failure), headers={"X-Auth-Token": secret + "\r\n" * (failure == "odd token")})
    try:
        with client:
            response = client.request("GET", "/v2/p/training-job-flavors")
    except Exception as error:
        text = "\n".join([*logged, *_texts(error)])
    else:
        text = "\n".join([*logged, *_texts(ApiError.from_response(response))])
    assert shown(secret.strip(), text) == [], text


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
@given(secret=SECRETS, failure=st.sampled_from(FAILURES), name=st.sampled_from(["TOKEN", "PASSWORD", "SECRET_KEY"]))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_command_line_shows_no_secret(echo, logged, tmp_path, monkeypatch, secret, failure, name):
    logged.clear()
    place = _place(echo, failure)
    variables = {"ENDPOINT": place, "PROJECT_ID": "p", "RETRIES": "0", "TIMEOUT_S": "0.2", "CONFIG_FILE": "none"}
    variables |= {"IAM_ENDPOINT": place, "USERNAME": "u", "DOMAIN_NAME": "d"} if name == "PASSWORD" else {}
    variables |= {"ACCESS_KEY": secret + "-"} if name == "SECRET_KEY" else {}
    value = secret[:4] + "\r\n" + secret[4:] if failure == "odd token" else secret + "\r\n"
    with monkeypatch.context() as patched:
        (tmp_path / "none").touch()
        patched.chdir(tmp_path)
        if failure == "proxy":
            patched.setenv("HTTP_PROXY", echo)
        for each, text in {**variables, name: value}.items():
            patched.setenv(f"MODELARTS_{each}", text)
        done = CliRunner().invoke(modelarts, ["flavor", "list"])
    assert done.exit_code
    printed = "\n".join([done.output, done.stderr, *logged, *(_texts(done.exception) if done.exception else ())])
    assert shown(secret, printed) == [], printed
    assert "Traceback" not in done.output


@pytest.mark.parametrize("cause", ["__cause__", "__context__", "__notes__", "group"])
def test_a_foreign_error_of_a_command_shows_no_secret(monkeypatch, cause):
    secret = "K3foreign-s3cret9z"

    def call(*_, **__):
        inner = ValueError(f"inner {secret}", secret.encode())
        if cause == "group":
            raise ExceptionGroup("outer ***", [inner])
        error = KeyError(f"outer {secret}")
        if cause == "__cause__":
            raise error from inner
        if cause == "__notes__":
            error.add_note(f"note {secret}")
            raise error
        error.__context__ = inner
        raise error

    hiding.remember(secret)
    monkeypatch.setattr(Config, "load", call)
    done = CliRunner().invoke(modelarts, ["flavor", "list"])
    assert done.exception is not None
    printed = "".join(traceback.format_exception(done.exception))
    assert "outer ***" in printed
    assert secret not in printed + repr(done.exception)


def test_a_login_hides_the_token_that_it_was_given(monkeypatch):
    auth = IamTokenAuth("https://iam.example", username="u", password="K3pass9z", domain_name="d", project_id="p")
    auth._accept(httpx.Response(201, headers={"X-Subject-Token": "MIIgiven0"}, request=httpx.Request("POST", "/")))
    assert str(ToolkitError("sent MIIgiven0 and K3pass9z")) == "sent *** and ***"


@pytest.mark.parametrize(
    "make", [TokenAuth, lambda value: AkSkAuth(value, "SK123"), lambda value: AkSkAuth("AK123", value)]
)
def test_logins_strip_what_is_around_a_secret_and_reject_what_no_header_carries(make):
    request = httpx.Request("GET", "https://ma.example/")
    next(make("\ufeffK3good-9z\r\n").sync_auth_flow(request))
    assert not any("\r" in value or "\ufeff" in value for value in request.headers.values())
    for bad in ("…", "K3\r\n9z", "K3\0x", "K3é9z"):
        with pytest.raises(ConfigError, match=r"^(token|access_key|secret_key) has characters that no header") as error:
            make(bad)
        assert bad not in str(error.value), bad


@pytest.mark.parametrize("secret", ["a", "ab", "abc", "it", "the", "secret", "environment"])
def test_a_short_secret_or_a_word_does_not_garble_messages(secret):
    config = Config(token=secret, password=secret)
    with pytest.raises(ConfigError) as caught:
        config.require("endpoint")
    assert "***" not in str(caught.value)
    assert "environment" in str(caught.value)


def test_secrets_are_remembered_by_all_threads_and_the_newest_are_kept():
    def remember(thread):
        for number in range(100):
            hiding.remember(f"S3cret-{thread}-{number}")
            assert hiding.hide(f"S3cret-{thread}-{number}!") == "***!", (thread, number)

    threads = [threading.Thread(target=remember, args=[thread]) for thread in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(hiding._secrets) == 200
    hiding._secrets.clear()


def test_a_long_secret_is_found_soon():
    secret = "MII" + "aB3+/" * 4000
    hiding.remember(secret)
    assert hiding.hide(f"{secret} {urllib.parse.quote(secret, safe='')}") == "*** ***"
    hiding._secrets.clear()


def test_a_port_that_only_listens_is_no_reason_to_show_a_token():
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}"
        with (
            ModelArts(endpoint=url, project_id="p", token="K3only-9z", timeout_s=0.1, retries=0) as ma,
            pytest.raises(ToolkitError) as caught,
        ):
            _call(ma)
    assert shown("K3only-9z", str(caught.value)) == []


@given(secret=SECRETS, before=st.sampled_from(["", "u:", "us:", "use:"]))
@settings(max_examples=100, deadline=None)
def test_every_spelling_of_a_secret_is_hidden(secret, before):
    hiding.remember(secret)
    for spelling in spellings(secret.strip()):
        for text in (f"{before}{spelling}", f"x {spelling} y", f"'{spelling}'"):
            error = ToolkitError(text)
            assert shown(secret.strip(), f"{error} {error!r}") == [], text
    encoded = b64encode(f"{before}{secret.strip()};".encode()).decode()
    assert encoded not in str(ToolkitError(encoded))
    assert "***" in str(ToolkitError(encoded))
    hiding._secrets.clear()


def test_a_header_that_cannot_be_sent_is_not_tried_again(echo, logged):
    class Odd(httpx.Auth):
        def auth_flow(self, request):
            request.headers["X-Auth-Token"] = "K3odd-9z\n"
            yield request

    with ModelArts(endpoint=echo, project_id="p", auth=Odd()) as ma, pytest.raises(ConnectionFailed) as caught:
        _call(ma)
    assert "correct the header, or the login that makes it" in str(caught.value)
    assert "K3odd" not in "\n".join([*_texts(caught.value), *logged])
    assert not [text for text in logged if "; retry " in text]
