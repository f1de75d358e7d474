"""A secret is known by its name, and is shown nowhere: not in a `repr`, not in a text of JSON or of an address."""

import json
from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.secret_values import MARK, SECRETS, names, objects

import modelarts_openapi
from modelarts_api.iam import models as iam
from modelarts_api.v2 import models as v2
from modelarts_documents.secrets import (
    HIDDEN,
    is_secret,
    is_suspicious,
    secrets_in,
    without_parameters,
    without_secrets,
)

FIELDS = ("access_key", "passcode", "password", "secret", "secret_key", "securitytoken", "token", "DB-Password2")
HEADERS = ("Authorization", "Cookie", "Set-Cookie", "X-Auth-Token", "X-Security-Token", "x-obs-security-token")
VARIABLES = ("HF_TOKEN", "WANDB_API_KEY", "AWS_SECRET_ACCESS_KEY", "clientSecret", "Proxy-Authorization")


@pytest.mark.parametrize("name", [*FIELDS, *HEADERS, *VARIABLES])
def test_a_name_of_a_secret_is_known_however_it_is_written(name: str) -> None:
    """In another case, with other separators, and behind other words."""
    assert is_secret(name)
    assert is_suspicious(name)


@pytest.mark.parametrize("name", ["Signature", "X-Amz-Credential", "AWSAccessKeyId", "adminPass", "db_pwd", "user-sk"])
def test_a_name_in_an_address_is_suspicious_before_it_is_known(name: str) -> None:
    assert is_suspicious(name)
    assert not is_secret(name)


@pytest.mark.parametrize("name", ["id", "name", "access", "max_tokens", "password_expires_at", "keys", "secretary"])
def test_other_names_are_shown(name: str) -> None:
    assert not is_secret(name)
    assert not is_secret(name, "user")


@pytest.mark.parametrize(("parent", "name"), [("token", "id"), ("subject_token", "id"), ("credential", "access")])
def test_a_field_can_be_secret_in_one_object_only(parent: str, name: str) -> None:
    assert is_secret(name, parent)
    assert not is_secret(name, f"{parent}_of")


@pytest.mark.parametrize("name", modelarts_openapi.NAMES)
def test_every_password_of_the_documents_is_known(name: str) -> None:
    """A property with `format: password`; `id` is one in a token."""

    def passwords(node: Any) -> list[str]:
        if isinstance(node, list):
            return [each for child in node for each in passwords(child)]
        if not isinstance(node, dict):
            return []
        fields = node.get("properties", {})
        found = [field for field, schema in fields.items() if schema.get("format") == "password"]
        return found + [each for child in node.values() for each in passwords(child)]

    assert [each for each in passwords(modelarts_openapi.load(name)) if not is_secret(each, "token")] == []


@given(objects())
def test_a_model_shows_no_secret(body: dict[str, Any]) -> None:
    """At any depth, under any name, and whether a document describes the object or none does."""
    for model in (v2.Algorithm, v2.WebEndpoint, iam.CreateTokenRequest):
        shown = repr(model.from_dict(body))
        assert MARK not in shown, shown
        assert "seen" in shown, shown


@given(objects(), st.sampled_from([None, 2]))
def test_a_text_of_json_is_shown_without_secrets(body: dict[str, Any], indent: int | None) -> None:
    """Every other value stays, and it is still JSON."""
    text = json.dumps(body, indent=indent)

    shown = json.loads(without_secrets(text))

    assert MARK not in str(shown)
    assert json.dumps(shown).count('"seen"') == text.count('"seen"')
    assert len(list(secrets_in(text))) == text.count(MARK) == str(shown).count(HIDDEN)


@given(objects(), st.floats(0, 1))
def test_a_text_that_is_cut_off_shows_no_secret(body: dict[str, Any], share: float) -> None:
    text = json.dumps(body)
    assert MARK not in without_secrets(text[: int(share * len(text))])


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('{"password": 20250801, "x": 1}', '{"password": "***", "x": 1}'),
        (
            '{"password": null, "token": {"id": "a", "x": true}}',
            '{"password": null, "token": {"id": "***", "x": true}}',
        ),
        ('{"secret": ["a", {"name": "b"}, "c"], "d": "e"}', '{"secret": ["***", {"name": "b"}, "***"], "d": "e"}'),
        ('{"p\\u0061ssword": "a\\"b", "password": ""}', '{"p\\u0061ssword": "***", "password": "***"}'),
        ('{"token": "a"}\n{"token": "b"}\n', '{"token": "***"}\n{"token": "***"}\n'),
        ("a log line: token [1]", "a log line: token [1]"),
        ("}]", "}]"),
    ],
)
def test_the_rest_of_a_text_stays_as_it_is(text: str, shown: str) -> None:
    assert without_secrets(text) == shown


@given(names("_- "), SECRETS, st.sampled_from(["", "https://host/path?", "GET https://host/?page=2&"]), st.booleans())
def test_a_query_is_shown_without_secrets(name: str, secret: str, start: str, is_encoded: bool) -> None:
    """Also if the letters of a name are encoded."""
    written = urlencode({name: secret})
    if is_encoded:
        written = "".join(f"%{letter:02x}" for letter in name.encode()) + written[written.index("=") :]

    shown = without_parameters(f"{start}limit=1&{written}&order=asc")

    assert MARK not in shown
    assert shown.startswith(f"{start}limit=1&")
    assert shown.endswith(f"={HIDDEN}&order=asc")
