"""Identities of a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from modelarts_emulator.http.errors import EmulatorError
from modelarts_emulator.settings.accounts import load


def test_a_file_gives_its_identities_in_order(credentials: Path) -> None:
    assert [identity.user for identity in load(credentials)] == ["anna", "bert"]


def test_secrets_do_not_show_in_a_repr(credentials: Path) -> None:
    """The repr of an identity names its access key, never its password or its secret key."""
    anna = load(credentials)[0]

    assert anna.password not in repr(anna)
    assert anna.secret_key not in repr(anna)
    assert anna.access_key in repr(anna)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text.replace('user = "anna"\n', ""), "identity 1 in .* lacks user"),
        (lambda text: text.replace('"anna-password"', "7"), "identity 1 in .* lacks password"),
        (lambda text: text + "colour = 1\n", "identity 2 in .* unknown members: colour"),
        (lambda text: text.replace("AKBERT", "AKANNA"), "access key AKANNA has two secret keys"),
        (lambda text: text.replace("b" * 32, "a" * 32), "stands for two projects"),
        (lambda text: text.replace('"bert"', '"anna"'), "user anna of account acme has two passwords"),
        (lambda text: text.replace("b" * 32, "b/b"), "must not contain a slash"),
        (lambda text: "identity = 1", r"no \[\[identity\]\] table"),
        (lambda text: "[[identity", "is not valid TOML"),
    ],
)
def test_a_file_that_is_not_right_is_rejected_by_name_and_without_secrets(
    credentials: Path, change: object, message: str
) -> None:
    credentials.write_text(change(credentials.read_text()))  # type: ignore[operator]

    with pytest.raises(EmulatorError, match=message) as caught:
        load(credentials)

    assert "sk-anna" not in str(caught.value)
    assert "anna-password" not in str(caught.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(EmulatorError, match=r"cannot read .*nobody\.toml: No such file"):
        load(tmp_path / "nobody.toml")
