"""URLs, buckets and keys."""

import pytest

from modelarts_emulator.storage.errors import InvalidKey
from modelarts_emulator.storage.names import is_bucket_name, parse_obs_url, relative_path


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("obs://bucket/code/train.py", ("bucket", "code/train.py")),
        ("/bucket/code/", ("bucket", "code/")),
        ("obs://bucket", ("bucket", "")),
        ("/bucket/", ("bucket", "")),
        ("/bucket//odd", ("bucket", "/odd")),
    ],
)
def test_both_documented_forms_are_understood(url: str, expected: tuple[str, str]) -> None:
    assert expected == parse_obs_url(url)


@pytest.mark.parametrize(
    "url", ["", "bucket/key", "s3://bucket/key", "obs:/bucket/key", "//bucket", "obs://", "/B/k", "/.meta/k"]
)
def test_anything_else_is_rejected(url: str) -> None:
    with pytest.raises(ValueError, match=r"OBS path|bucket"):
        parse_obs_url(url)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("abc", True),
        ("a-b.c1", True),
        ("a" * 63, True),
        ("ab", False),
        ("a" * 64, False),
        ("Abc", False),
        ("-abc", False),
        ("abc.", False),
        (".meta", False),
        ("a..b", False),
        ("192.168.1.1", False),
        ("a/b", False),
    ],
)
def test_bucket_names_follow_the_rules(name: str, expected: bool) -> None:
    assert expected == is_bucket_name(name)


@pytest.mark.parametrize(
    "key", ["", "/a", "a//b", "../a", "a/../../b", "a/.", "./a", "a\0b", "x" * 256, "/", "a//", "é" * 513]
)
def test_a_key_that_is_not_a_path_below_its_bucket_is_rejected(key: str) -> None:
    with pytest.raises(InvalidKey, match="key"):
        relative_path(key)
