"""Identities of a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from modelarts_emulator.server import EmulatorError
from modelarts_emulator.settings.accounts import Accounts, check_region, load


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
        (lambda text: text.replace('user = "anna"\n', ""), "identity 1: user is missing"),
        (lambda text: text.replace('"anna-password"', "7"), "identity 1: password: the value is not of type"),
        (lambda text: text.replace('"anna-password"', '""'), "identity 1: password: the value"),
        (lambda text: text + "colour = 1\n", "identity 2: unknown: colour"),
        (lambda text: text.replace("AKBERT", "AKANNA"), "access_key AKANNA differ in user_id and secret_key"),
        (lambda text: text.replace("b" * 32, "a" * 32), "project_id a* differ in project"),
        (lambda text: text.replace('"bert"', '"anna"'), "account acme and user anna differ in user_id and password"),
        (lambda text: text.replace("user-bert", "user-anna"), "user_id user-anna differ in user"),
        (lambda text: text.replace("d" * 32, "e" * 32, 1), "account acme differ in domain_id"),
        (lambda text: text.replace("project-bert", "project-anna"), "project project-anna differ in project_id"),
        (lambda text: text.replace("b" * 32, "b/b"), "identity 2: project_id: the value does not match"),
        (lambda text: "identity = 1", "identity: the value is not of type"),
        (lambda text: "", "identity is missing"),
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


SHORT = """[[identity]]
account = "acme"
user = "cleo"
password = "cleo-password"
access_key = "AKCLEO"
secret_key = "sk-cleo"
"""


def test_project_and_ids_can_be_left_out(tmp_path: Path) -> None:
    """The project is the one of the region; the ids are made of the names, so that they are the same everywhere."""
    files = [tmp_path / "one.toml", tmp_path / "other.toml"]
    for file in files:
        file.write_text(SHORT)
    [cleo], [same] = (load(file, "eu-nl") for file in files)

    assert cleo == same
    assert cleo.project == "eu-nl"
    assert [len(value) for value in (cleo.project_id, cleo.domain_id, cleo.user_id)] == [32, 32, 32]
    assert len({cleo.project_id, cleo.domain_id, cleo.user_id}) == 3


def test_every_account_has_a_project_of_the_region(credentials: Path, tmp_path: Path) -> None:
    """Users of an account that has no such project enter one and the same; others keep to their projects."""
    accounts = Accounts(load(credentials), "eu-de")

    assert [(entry.user, entry.project) for entry in accounts] == [
        ("anna", "project-anna"),
        ("bert", "project-bert"),
        ("anna", "eu-de"),
        ("bert", "eu-de"),
    ]
    assert len({entry.project_id for entry in accounts.of_user("user-anna")}) == 2
    assert {entry.project_id for entry in accounts if entry.project == "eu-de"} == {
        Accounts(load(credentials), "eu-de").of_access_key("AKBERT")[1].project_id
    }


def test_a_user_is_found_by_its_access_key_in_all_of_its_projects(credentials: Path) -> None:
    accounts = Accounts(load(credentials))

    assert accounts.of_access_key("AKBERT") == accounts.of_user("user-bert")
    assert accounts.of_access_key("nobody's") == accounts.of_user("nobody") == ()


def test_users_and_projects_can_be_added(credentials: Path) -> None:
    """A user keeps its keys in another project, a project its id, and whoever is added twice is added once."""
    accounts = Accounts(load(credentials))
    anna, *_ = accounts

    other = accounts.add("dora", "umbrella")
    shared = accounts.add("anna", "acme", "project-bert")

    assert (other.account, other.project, other.domain_id == anna.domain_id) == ("umbrella", "eu-de", False)
    assert (shared.access_key, shared.project_id, shared.user_id) == (anna.access_key, "b" * 32, anna.user_id)
    assert accounts.add("dora", "umbrella") == other
    assert accounts.of_access_key(other.access_key) == (other,)


@pytest.mark.parametrize("region", ["", "eu/de", "eu de", "-", "x" * 65, "€"])
def test_a_region_must_fit_into_paths(region: str) -> None:
    with pytest.raises(EmulatorError, match="must be 1 to 64 letters"):
        check_region(region)
