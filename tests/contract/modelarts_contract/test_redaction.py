"""A recording keeps no secret, wherever it stands, and stays a recording: types, numbers and published values."""

from __future__ import annotations

import base64
import json
import re
import stat
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send
from tests.contract.modelarts_contract.test_validation import printed
from tests.secret_values import names, objects

from modelarts_contract import har
from modelarts_contract.documents import Documents
from modelarts_contract.exchange import Exchange
from modelarts_contract.proxy import serving, serving_app
from modelarts_contract.recording import Recording, keeping
from modelarts_contract.redaction import Redaction
from modelarts_contract.validation import findings
from modelarts_documents.schema import json_schema, resolve
from modelarts_openapi.error_codes import ERROR_CODES

SECRET = "Hq7w2"
# The forms that a secret has in a field: alone, in a URL, a command, a path, a sentence, with an id, with known words.
FORMS = (
    "{}",
    "postgres://ann:{0}@host/{0}?ak={0}",
    "--password={0} --api-key {0}",
    "/{0}/{0}.py",
    "Invalid value {}.",
    "obs://{0}/{0}",
    "training-job-{}",
)
HEADERS = ("X-Auth-Token", "X-Api-Key", "X-Ak", "Authorization", "Cookie", "User-Agent", "X-Language", "X-Request-Id")
DOCUMENTS = Documents()


class Sample:
    """A value of a schema with the secret at every place that can hold a text."""

    def __init__(self, document: Mapping[str, Any], secret: str) -> None:
        self._document = document
        self._secret = secret

    def of(self, schema: Mapping[str, Any], seen: tuple[str, ...] = ()) -> Any:
        reference = schema.get("$ref", "")
        if seen.count(reference) > 1:
            return None
        seen = (*seen, reference) if reference else seen
        schema = resolve(self._document, schema)
        branches = [schema, *(each for key in ("allOf", "anyOf", "oneOf") for each in schema.get(key, ()))]
        kinds = {kind for each in branches for kind in listed(resolve(self._document, each).get("type", ()))}
        if "object" in kinds or any("properties" in resolve(self._document, each) for each in branches):
            found: dict[str, Any] = {"undocumented_field": self._secret, "unknown": {self._secret: [self._secret]}}
            for each in branches:
                inner = self.of(each, seen) if each is not schema else self._fields(schema, seen)
                found |= inner if isinstance(inner, dict) else {}
            return found
        if "array" in kinds and "items" in schema:
            return [self.of(schema["items"], seen)]
        if kinds & {"integer", "number"} and "string" not in kinds:
            return 7
        return True if kinds == {"boolean"} else self._secret

    def _fields(self, schema: Mapping[str, Any], seen: tuple[str, ...]) -> dict[str, Any]:
        found = {name: self.of(field, seen) for name, field in schema.get("properties", {}).items()}
        if isinstance(schema.get("additionalProperties"), dict):
            found |= {self._secret: self._secret, "db-password": self._secret, "PIN": "1234567890"}
        return found


def listed(kinds: Any) -> list[str]:
    return [kinds] if isinstance(kinds, str) else list(kinds)


def exchanges(secret: str) -> Iterator[Exchange]:
    """Each operation with its successes and an error, and some exchanges that no document has."""
    headers = {name.lower(): secret for name in HEADERS} | {"content-type": "application/json"}
    for operation in DOCUMENTS.operations:
        successes = [int(status) for status in operation.definition["responses"] if status.startswith("2")]
        for status in (*successes, 400):
            sample = Sample(operation.document, secret)
            path = operation.url_path(dict.fromkeys(operation.parameters("path"), secret))
            query = urlencode([(name, secret) for name in (*operation.parameters("query"), "ak", secret)])
            body, response = operation.body_schema(), json_schema(operation.response(status) or {})
            yield Exchange(
                operation.method,
                f"https://ann:{quote(secret, safe='')}@host{path}?{query}",
                status,
                headers,
                b"" if body is None else json.dumps(sample.of(body)).encode(),
                {**headers, "location": secret, "x-subject-token": secret},
                b"" if response is None else json.dumps(sample.of(response)).encode(),
            )
    unknown = f"https://host/v2/{quote(secret, safe='')}/things?{urlencode({secret: secret})}"
    for text in (json.dumps(secret), json.dumps({secret: secret}), f"password={quote(secret)}", f"<a>{secret}</a>"):
        yield Exchange("POST", unknown, 200, headers, text.encode(), headers, text.encode())


@pytest.mark.parametrize("form", FORMS)
def test_no_secret_reaches_the_file(form: str, tmp_path: Path) -> None:
    """In every field, parameter, header and path of all documents, in requests and responses, and in unknown ones."""
    recording = Recording(tmp_path / "session.har")

    for exchange in exchanges(form.format(SECRET)):
        recording.keep(exchange)

    text = recording.file.read_text()
    assert [text[max(0, at - 80) : at + 20] for at in places(text.lower(), SECRET.lower())] == []
    assert "1234567890" not in text


def places(text: str, part: str) -> Iterator[int]:
    found = text.find(part)
    while found >= 0:
        yield found
        found = text.find(part, found + 1)


def test_no_secret_passes_the_recording_proxy(tmp_path: Path) -> None:
    """From a client of any kind to a service of any kind; only the owner can read the file."""
    secret = FORMS[1].format(SECRET)
    sent = list(exchanges(secret))[::4]

    async def service(scope: Scope, receive: Receive, send: Send) -> None:
        number = int(Request(scope).headers["x-number"])
        headers = {name: value for name, value in sent[number].response_headers.items() if name != "location"}
        status = sent[number].status
        body = b"" if status in {204, 304} else sent[number].response_body
        await Response(body, status, {**headers, "x-secret-key": secret})(scope, receive, send)

    recording = Recording(tmp_path / "session.har")
    with (
        serving_app(service) as upstream,
        serving(upstream, keeping(upstream, recording.keep)) as address,
        httpx.Client(base_url=address) as client,
    ):
        for number, each in enumerate(sent):
            target = (
                "/" + each.url.partition("@host/")[2] if "@host/" in each.url else each.url.removeprefix("https://host")
            )
            headers = {**each.request_headers, "x-number": str(number)}
            response = client.request(each.method, target, headers=headers, content=each.request_body)
            assert response.status_code == each.status, target

    assert recording.count == len(sent) == len(list(har.read(recording.file)))
    assert SECRET.lower() not in recording.file.read_text().lower()
    assert stat.S_IMODE(recording.file.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "name",
    [
        "password",
        "passcode",
        "adminPass",
        "db_pwd",
        "db-pass",
        "pin",
        "ak",
        "user-sk",
        "api-key",
        "auth",
        "tokens",
        "X-Credential",
    ],
)
def test_not_even_a_number_is_kept_of_what_is_called_a_secret(name: str) -> None:
    """As a field, also as a number of JSON, as a hyperparameter of both versions, as a variable, and in a query."""
    body = {
        name: "20250801",
        "more": {name: [20250801]},
        "parameters": [{"name": name, "value": "20250801"}],
        "parameter": [{"label": name, "value": "20250801"}],
        "environments": {name: "20250801", "OTHER": 20250801},
    }
    url = f"https://host/v2/x?{urlencode({name: '20250801'})}"

    found = Redaction()(Exchange("POST", url, 200, request_body=json.dumps(body).encode()))

    assert "20250801" not in f"{found.url} {found.request_body.decode()}"


@given(objects(st.sampled_from(["20250801", "running", "S3cr3t/S3cr3t"])), names("_-"))
@settings(max_examples=30, deadline=None)
def test_no_recording_shows_a_secret(body: dict[str, Any], name: str) -> None:
    """Not even a number or a published word, at any depth, under any name, also as a parameter."""
    url = f"https://host/v2/x?{urlencode({name: '20250801'})}"
    content = json.dumps(body).encode()

    found = Redaction()(Exchange("POST", url, 400, {name: "20250801"}, content, {name: "20250801"}, content))

    shown = f"{found}"
    assert [text for text in ("20250801", "running", "S3cr3t") if text in shown] == []


@pytest.mark.parametrize("secret", ["training2024", "Training-2024", "job7"])
def test_words_of_the_documents_with_a_number_are_kept_as_names_of_products_only(secret: str) -> None:
    """A password can have this form; in unknown fields, paths, messages and keys it is replaced."""
    body = {"undocumented": secret, secret: "x", "error_msg": f"wrong: {secret}", "labels": {"key": secret}}
    url = f"https://host/v2/p/{secret}?{urlencode({secret: secret})}"

    found = Redaction()(Exchange("POST", url, 200, request_body=json.dumps(body).encode()))

    assert secret not in f"{found.url} {found.request_body.decode()}"
    assert '"engine_id": "pytorch_1.8.0"' in redacted({"engine_id": "pytorch_1.8.0"})


def test_an_unknown_path_can_be_read() -> None:
    url = "https://host/v2/0123456789abcdef0123456789abcdef/training-jobs/nothing-here/tasks"

    assert re.fullmatch(r".*/v2/[0-9a-f]{32}/training-jobs/name-\w+/tasks", Redaction()(Exchange("GET", url, 404)).url)


def test_values_of_maps_are_replaced() -> None:
    """Their names are the client's, so that their values can be anything, also a published word or a number."""
    found = redacted({"labels": {"stage": "Running", "size": 31415926}})

    assert [text in found for text in ("stage", "Running", "31415926")] == [True, False, False]


def redacted(body: object) -> str:
    sent = json.dumps(body).encode()
    return Redaction()(Exchange("POST", "https://host/v2/x", 200, request_body=sent)).request_body.decode()


@pytest.mark.parametrize("depth", [600, 100_000])
def test_a_body_that_is_nested_too_deeply_is_left_out(depth: int) -> None:
    body = b"[" * depth + b"]" * depth

    assert Redaction()(Exchange("POST", "https://host/v2/x", 200, request_body=body)).request_body == b"REDACTED"


SECRETS = st.text("abcXYZ0189+/=_.~-", min_size=8, max_size=40).filter(
    lambda text: re.search("[A-Z].*[0-9]|[0-9].*[A-Z]", text) and not re.fullmatch(r"[\d.+-]+", text)
)
PLACES: list[Callable[[str, str], dict[str, Any]]] = [
    lambda secret, _: {"request_headers": {"x-auth-token": secret, "x-own": f"Bearer {secret}"}},
    lambda secret, _: {"response_headers": {"x-subject-token": secret, "content-type": f"text/{secret}"}},
    lambda secret, quoted: {"url": f"https://ann:{quoted}@host/v2/x/training-jobs/{quoted}?token={quoted}&{quoted}=1"},
    lambda secret, _: {"request_body": json.dumps({"password": secret, "description": f"my {secret}"}).encode()},
    lambda secret, _: {"response_body": json.dumps({"error_msg": f"The password {secret} is wrong."}).encode()},
    lambda secret, _: {"response_body": json.dumps({"error_msg": f"No: {secret}", secret: {"x": [secret]}}).encode()},
    lambda secret, _: {"request_body": base64.b64encode(secret.encode())},
    lambda secret, _: {"request_body": json.dumps({"x": base64.b64encode(secret.encode()).decode()}).encode()},
    lambda secret, _: {"response_body": f"<p>{secret}</p>".encode(), "status": 502},
]


@given(SECRETS, st.sampled_from(PLACES))
@settings(max_examples=300, deadline=None)
def test_a_secret_of_any_form_does_not_stay_in_any_place(secret: str, place: Callable[[str, str], Any]) -> None:
    """In headers, addresses, bodies, texts of errors, names of fields, and base64."""
    plain = {
        "method": "POST",
        "url": "https://host/v2/x/training-jobs",
        "status": 400,
        **place(secret, quote(secret, "")),
    }

    shown = repr(asdict(Redaction()(Exchange(**plain))))

    encoded = base64.b64encode(secret.encode()).decode()
    assert [each for each in (secret, quote(secret, ""), encoded) if each in shown] == []


@given(st.lists(st.text(min_size=1), min_size=2, max_size=6))
@settings(max_examples=50, deadline=None)
def test_texts_differ_in_a_recording_if_they_differ(texts: list[str]) -> None:
    """Descriptions, commands and values of parameters: so that an update that was lost can be seen."""
    redact = Redaction()

    def shown(text: str, name: str) -> Any:
        content = json.dumps({"parameters": [{"name": "lr", name: text}]}).encode()
        found = redact(Exchange("PUT", "https://host/v2/x", 200, request_body=content))
        return json.loads(found.request_body)["parameters"][0][name]

    for one, other in pairwise(texts):
        for name in ("description", "command"):
            is_same = one.strip("/") == other.strip("/")
            assert (shown(one, name) == shown(other, name)) is is_same, (name, one, other)
            assert len(shown(one, name)) == len("text-01234567"), (one, name)


def test_published_texts_of_errors_can_be_read() -> None:
    """Names and ids beside them are replaced."""
    texts = [text for code in ERROR_CODES.values() for text in (code.text, code.meaning) if "{" not in text]

    for text in texts:
        shown = json.loads(redacted({"error_msg": f"{text} (zebra-7)"}))["error_msg"]
        assert re.fullmatch(re.escape(text) + r" \(name-[0-9a-f]{8}\)", shown), shown


def test_a_redacted_example_is_as_documented_as_before() -> None:
    """Every published response: the same findings, also about types and published values."""
    redact = Redaction()
    shown = [exchange for name in DOCUMENTS.names for _, exchange in printed(name) if exchange.status < 300]

    for plain in shown:
        said = [
            [each.message for each in findings(exchange, DOCUMENTS) if not each.message.startswith(("query", "path"))]
            for exchange in (plain, redact(plain))
        ]
        assert said[0] == said[1], plain
    assert len(shown) > 40


def test_a_sentence_keeps_the_media_type_that_it_is_about() -> None:
    """The owner of an account has to see what came in place of JSON."""
    said = "the Content-Type is 'text/html; charset=utf-8', the body is documented as JSON"

    assert Redaction().sentence(said) == said


@pytest.mark.parametrize("said", ['{"owner":"YW5uYUBleG', '{"a":"it\'s","b":"anna@exam'])
def test_a_text_that_is_cut_off_is_replaced_as_a_whole_one_is(said: str) -> None:
    """A validator cuts off long values, and the quote at their end with them."""
    shown = Redaction().sentence(f"{said} ... is not valid under any of the schemas listed in the 'anyOf' keyword")

    assert not {"YW5uYUBleG", "anna", "exam"} & set(re.findall(r"\w+", shown)), shown
    assert " ... is not valid under any of the schemas" in shown
