"""URLs, buckets and keys."""

import pytest

from modelarts_emulator.storage.names import parse_obs_url


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
