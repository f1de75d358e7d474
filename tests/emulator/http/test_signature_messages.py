"""What a rejected signature asks its client to change."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.emulator.http.test_signatures import PUBLISHED, PUBLISHED_AUTHORIZATION, PUBLISHED_SECRET, PUBLISHED_TIME

from modelarts_emulator.http.errors import ServiceError
from modelarts_emulator.http.signatures import parse, verify


@pytest.mark.parametrize(
    ("authorization", "headers", "message"),
    [
        (
            "Bearer abc",
            {},
            "The Authorization header must be SDK-HMAC-SHA256 Access=..., SignedHeaders=..., Signature=..., or have a "
            "Credential with a scope in place of Access.",
        ),
        (
            PUBLISHED_AUTHORIZATION.replace("Access", "Credential"),
            {},
            "The Credential must have the form <access key>/<yyyymmdd>/<region>/<service>/sdk_request.",
        ),
        (
            PUBLISHED_AUTHORIZATION.replace("Access=", "Credential=").replace("UC,", "UC/20191116/r/s/sdk_request,"),
            {},
            "The date of the Credential is not that of X-Sdk-Date.",
        ),
        (PUBLISHED_AUTHORIZATION.replace("host;", ""), {}, "The header host must be one of the SignedHeaders."),
        (
            PUBLISHED_AUTHORIZATION,
            {"x-project-id": "p"},
            "The header x-project-id must be one of the SignedHeaders.",
        ),
        (PUBLISHED_AUTHORIZATION, {"x-sdk-content-sha256": "0"}, "X-Sdk-Content-Sha256 is not the hash of the body."),
        (
            PUBLISHED_AUTHORIZATION,
            {"content-type": "text/plain"},
            "The signature does not match: check the secret key, and that nothing changed after signing.",
        ),
        (
            PUBLISHED_AUTHORIZATION,
            {"x-sdk-date": "yesterday"},
            "The header X-Sdk-Date is missing or not a time such as 20190307T101459Z.",
        ),
        (
            PUBLISHED_AUTHORIZATION,
            {"x-sdk-date": "20191116T033655Z"},
            "X-Sdk-Date (20191116T033655Z) is more than 15 minutes from the time of the service: check the clock.",
        ),
    ],
)
def test_a_rejection_says_what_to_change(authorization: str, headers: dict[str, str], message: str) -> None:
    request = replace(PUBLISHED, headers=[*(dict(PUBLISHED.headers) | headers).items()])

    with pytest.raises(ServiceError) as caught:
        verify(request, parse(authorization), PUBLISHED_SECRET, [PUBLISHED_TIME])

    assert str(caught.value).partition(": ")[2] == message
