"""Chunked bodies, against the worked example of the S3 reference, cut in every way."""

import asyncio
import calendar
from collections.abc import AsyncIterator

import pytest
from tests.emulator.s3.conftest import EXAMPLE
from tests.emulator.storage.conftest import store_error

from modelarts_emulator.s3 import signing, sigv4
from modelarts_emulator.s3.body import Body

SIGNED = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD"

CHUNKS = [
    (65536, b"ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648"),
    (1024, b"0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497"),
    (0, b"b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9"),
]
BODY = b"".join(b"%x;chunk-signature=%s\r\n%s\r\n" % (size, signature, b"a" * size) for size, signature in CHUNKS)


TRAILED = [
    (65536, b"b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2"),
    (1024, b"1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7"),
]
TRAILED_BODY = (
    b"".join(b"%x;chunk-signature=%s\r\n%s\r\n" % (size, signature, b"a" * size) for size, signature in TRAILED)
    + b"0;chunk-signature=2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992\r\n"
    + b"x-amz-checksum-crc32c:sOO8/Q==\r\n"
    + b"x-amz-trailer-signature:d81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435\r\n\r\n"
)


def _verified_with_trailer() -> sigv4.Verified:
    """What the reference's second example, with a trailing checksum, is verified with."""
    scope = sigv4.Scope("20130524", "us-east-1")
    key = sigv4.signing_key(EXAMPLE.secret_key, scope)
    seed = "106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e"
    return sigv4.Verified("A", f"{SIGNED}-TRAILER", key, scope, "20130524T000000Z", seed)


def _verified() -> sigv4.Verified:
    """The reference's request, whose signature is the seed of its chunks' signatures."""
    names = "content-encoding;content-length;host;x-amz-content-sha256;x-amz-date;x-amz-decoded-content-length;"
    authorization = (
        "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,"
        f"SignedHeaders={names}x-amz-storage-class,"
        "Signature=4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9"
    )
    headers = [
        ("host", "s3.amazonaws.com"),
        ("x-amz-date", "20130524T000000Z"),
        ("x-amz-storage-class", "REDUCED_REDUNDANCY"),
        ("authorization", authorization),
        ("x-amz-content-sha256", SIGNED),
        ("content-encoding", "aws-chunked"),
        ("x-amz-decoded-content-length", "66560"),
        ("content-length", "66824"),
    ]
    request = sigv4.Request("PUT", "/examplebucket/chunkObject.txt", "", headers)
    return signing.verify(request, [EXAMPLE], float(calendar.timegm((2013, 5, 24, 0, 0, 0))))


def _decode(body: bytes, verified: sigv4.Verified, step: int, trailer: str = "") -> tuple[bytes, dict[str, str]]:
    """The data of a body that arrives in pieces, and its checksums."""

    async def pieces() -> AsyncIterator[bytes]:
        for at in range(0, len(body), step):
            yield body[at : at + step]

    async def read() -> tuple[bytes, dict[str, str]]:
        received = Body(pieces(), {"x-amz-trailer": trailer}, verified)
        found = bytearray()
        async for data in received:
            received.update(data)
            found += data
        return bytes(found), received.finish()

    return asyncio.run(read())


@pytest.mark.parametrize("step", [7, 1000, 65536, 1 << 20])
def test_the_reference_s_body_is_accepted_however_it_arrives(step: int) -> None:
    assert _decode(BODY, _verified(), step)[0] == b"a" * 66560


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (BODY.replace(b"aaaa", b"aaab", 1), "SignatureDoesNotMatch"),
        (BODY.replace(b"400;", b"3ff;", 1), "IncompleteBody"),
        (BODY[: -len(b"0;chunk-signature=\r\n\r\n") - 64], "IncompleteBody"),
        (BODY[:-100], "IncompleteBody"),
        (BODY.replace(CHUNKS[2][1], b"0" * 64), "SignatureDoesNotMatch"),
        (BODY + b"more", "IncompleteBody"),
        (b"no chunks at all\r\n", "IncompleteBody"),
        (b"a" * 20000, "IncompleteBody"),
    ],
)
def test_a_body_that_was_changed_is_rejected(body: bytes, error: str) -> None:
    with store_error(error):
        _decode(body, _verified(), 4096)


@pytest.mark.parametrize("step", [1, 5, 100])
def test_trailing_headers_are_read(step: int) -> None:
    verified = sigv4.Verified(
        "A", "STREAMING-UNSIGNED-PAYLOAD-TRAILER", b"", sigv4.Scope("20130524", "r"), "20130524T000000Z", ""
    )
    body = b"5\r\nhello\r\n0\r\nx-amz-checksum-crc32:NhCmhg==\r\n\r\n"

    expected = (b"hello", {"x-amz-checksum-crc32": "NhCmhg=="})
    assert _decode(body, verified, step, "x-amz-checksum-crc32") == expected


def test_signed_trailing_headers_are_verified() -> None:
    expected = (b"a" * 66560, {"x-amz-checksum-crc32c": "sOO8/Q=="})
    assert _decode(TRAILED_BODY, _verified_with_trailer(), 1000, "x-amz-checksum-crc32c") == expected

    unsigned = TRAILED_BODY[: TRAILED_BODY.index(b"x-amz-trailer-signature")] + b"\r\n"
    no_text = TRAILED_BODY.replace(b"d81f82fc", "d81f82fé".encode("latin-1"))
    for body in (TRAILED_BODY.replace(b"sOO8", b"AAAA"), unsigned, no_text):
        with store_error("SignatureDoesNotMatch"):
            _decode(body, _verified_with_trailer(), 1000)
