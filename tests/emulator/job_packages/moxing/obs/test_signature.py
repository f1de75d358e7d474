"""The signature, by a published example."""

from __future__ import annotations

import calendar
import hashlib

from moxing.obs.settings import Settings
from moxing.obs.signature import signed_headers


def test_the_published_example_gives_the_published_signature() -> None:
    """Source: "Example: GET Bucket Lifecycle" of the S3 reference, with its dummy keys."""
    settings = Settings("https://s3.amazonaws.com", "AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
    moment = calendar.timegm((2013, 5, 24, 0, 0, 0))
    empty = hashlib.sha256(b"").hexdigest()

    headers = signed_headers(
        settings, "GET", "examplebucket.s3.amazonaws.com", "/", [("lifecycle", "")], {}, empty, moment
    )

    signature = "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"
    assert headers["authorization"].endswith(
        f"SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature={signature}"
    )


def test_the_region_is_that_of_the_endpoint() -> None:
    """OBS endpoints name it; a token is signed, too."""
    settings = Settings("https://obs.eu-de.otc.t-systems.com", "ak", "sk", "token")

    headers = signed_headers(settings, "GET", "b.obs.eu-de.otc.t-systems.com", "/", [], {}, "0", 0)

    assert "/19700101/eu-de/s3/aws4_request" in headers["authorization"]
    assert "x-amz-security-token" in headers["authorization"]
