"""Documents that come in."""

from datetime import UTC, datetime

import pytest
from tests.emulator.storage.stores import store_error

from modelarts_emulator.s3.xml import parse, timestamp

EVIL = '<?xml version="1.0"?><!DOCTYPE Delete [<!ENTITY a "aaaa">]><Delete>&a;</Delete>'


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_document_type_is_rejected_in_every_encoding(encoding: str) -> None:
    with store_error("MalformedXML", match="document type"):
        parse(EVIL.encode(encoding), "Delete")


def test_names_are_read_without_their_namespace() -> None:
    root = parse(b'<Delete xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Object/></Delete>', "Delete")

    assert [child.tag for child in root] == ["Object"]


@pytest.mark.parametrize("seconds", [0.0, 1.001, 1795000000.1234567, 1795000000.9999999, 951782400.0])
def test_times_have_milliseconds(seconds: float) -> None:
    expected = datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")

    assert expected.replace("+00:00", "Z") == timestamp(seconds)
