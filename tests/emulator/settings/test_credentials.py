"""Who may use an emulator: the users of its data folder or of a file, and the variables for clients."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.emulator.conftest import Api

from modelarts_emulator.server import Emulator, EmulatorError

SHORT = """[[identity]]
account = "acme"
user = "cleo"
password = "cleo-password"
access_key = "AKCLEO"
secret_key = "sk-cleo"
"""


def started(folder: Path, **options: Any) -> Emulator:
    """An emulator that has served the folder for a moment."""
    with Emulator(folder, executor="simulated", **options) as emulator:
        return emulator


def test_every_client_finds_its_names(api: Api) -> None:
    """Each variable has the value that belongs to its name."""
    emulator, user = api.emulator, api.identity

    assert emulator.environment() == {
        "MODELARTS_EMULATOR_DATA_DIR": str(emulator.data_dir),
        "MODELARTS_EMULATOR_TOKEN": emulator.control_token,
        **dict.fromkeys(("MODELARTS_ENDPOINT", "MODELARTS_IAM_ENDPOINT"), emulator.endpoint),
        "MODELARTS_OBS_ENDPOINT": emulator.obs_endpoint,
        "MODELARTS_PROJECT_ID": user.project_id,
        "MODELARTS_ACCESS_KEY": user.access_key,
        "MODELARTS_SECRET_KEY": user.secret_key,
        "OS_AUTH_URL": f"{emulator.endpoint}/v3",
        "OS_IDENTITY_API_VERSION": "3",
        "OS_USERNAME": user.user,
        "OS_PASSWORD": user.password,
        **dict.fromkeys(("OS_USER_DOMAIN_NAME", "OS_PROJECT_DOMAIN_NAME"), user.account),
        "OS_PROJECT_NAME": user.project,
        "OS_REGION_NAME": "eu-de",
        "HUAWEICLOUD_SDK_AK": user.access_key,
        "HUAWEICLOUD_SDK_SK": user.secret_key,
        "HUAWEICLOUD_SDK_PROJECT_ID": user.project_id,
        "HUAWEICLOUD_SDK_IAM_ENDPOINT": emulator.endpoint,
        "AWS_ACCESS_KEY_ID": user.access_key,
        "AWS_SECRET_ACCESS_KEY": user.secret_key,
        "AWS_ENDPOINT_URL_S3": emulator.obs_endpoint,
    }
    assert user.access_key in repr(user)
    assert user.password not in repr(user)
    assert user.secret_key not in repr(user)


def test_each_folder_has_secrets_of_its_own_that_stay_the_same(tmp_path: Path) -> None:
    """Names and ids do not differ between folders."""
    one, other, again = (started(tmp_path / name).identity for name in ("one", "other", "one"))

    assert one == again
    names = ["password", "access_key", "secret_key"]
    assert [name for name in names if getattr(one, name) == getattr(other, name)] == []
    assert [len(secret) for secret in (one.password, one.access_key, one.secret_key)] == [32, 20, 40]
    assert (one.account, one.user, one.project) == ("emulator", "developer", "eu-de")
    assert (one.project_id, one.domain_id, one.user_id) == (other.project_id, other.domain_id, other.user_id)


def test_only_the_owner_can_read_the_file_and_one_that_others_can_read_is_rejected(tmp_path: Path) -> None:
    """Whatever the umask; the message says what to do. A file that was edited too much can be made anew."""
    file = tmp_path / "data" / "credentials.toml"
    before = os.umask(0)
    try:
        started(file.parent)
    finally:
        os.umask(before)
    assert [stat.S_IMODE(path.stat().st_mode) for path in (file, file.parent)] == [0o600, 0o700]

    for mode in (0o644, 0o640, 0o602):
        file.chmod(mode)
        with pytest.raises(EmulatorError, match=r"credentials.toml \(mode 6\d\d\): delete the file .* or set its mode"):
            started(file.parent)
    file.chmod(0o600)
    file.write_text(file.read_text().replace("control_token", "# control_token"))
    with pytest.raises(EmulatorError, match="has no control_token: delete the file to get new credentials"):
        started(file.parent)


def test_a_file_replaces_the_users_and_if_it_has_one_the_control_token(
    tmp_path: Path, credentials: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A file that others may read is used with a warning, which names its mode and the remedy."""
    credentials.chmod(0o600)
    own = started(tmp_path / "data")
    without = started(tmp_path / "data", credentials=credentials)
    assert "set its mode" not in caplog.text
    credentials.write_text('control_token = "for-this-test-only"\n' + credentials.read_text())
    credentials.chmod(0o640)
    given = started(tmp_path / "data", credentials=credentials)

    assert [user.user for user in without.identities][:2] == ["anna", "bert"]
    assert without.control_token == own.control_token != given.control_token == "for-this-test-only"
    assert "mode 640): set its mode to 600" in caplog.text


WRONG: list[tuple[Callable[[str], str], str]] = [
    (lambda text: text.replace('user = "anna"\n', ""), "identity 1: user is missing"),
    (lambda text: text.replace('"anna-password"', "7"), "identity 1: password: the value is not of type"),
    (lambda text: text.replace('"anna-password"', '""'), "identity 1: password: the value"),
    (lambda text: text + "colour = 1\n", "identity 2: unknown: colour"),
    (lambda text: text.replace("b" * 32, "b/b"), "identity 2: project_id: the value does not match"),
    (lambda text: "control_token = 987654321987654321\n" + text, "control_token: the value"),
    (lambda text: 'control_token = "with a space in it"\n' + text, "control_token: the value"),
    (lambda text: "identity = 1", "identity: the value is not of type"),
    (lambda text: "", "identity is missing"),
    (lambda text: "[[identity", "is not valid TOML"),
]


def test_a_file_that_is_not_right_is_rejected_by_name_and_without_secrets(tmp_path: Path, credentials: Path) -> None:
    whole = credentials.read_text()
    for change, message in WRONG:
        credentials.write_text(change(whole))
        with pytest.raises(EmulatorError, match=message) as caught:
            started(tmp_path / "data", credentials=credentials)
        shown = [secret for secret in ("sk-anna", "anna-password", "98765", "a space") if secret in str(caught.value)]
        assert shown == [], message
    with pytest.raises(EmulatorError, match=r"cannot read .*nobody\.toml: No such file"):
        started(tmp_path / "data", credentials=tmp_path / "nobody.toml")


def test_project_and_ids_can_be_left_out(tmp_path: Path) -> None:
    """The project is the one of the region; the ids are made of the names, so that they are the same everywhere."""
    (tmp_path / "users.toml").write_text(SHORT)
    cleo, same = (
        started(tmp_path / name, credentials=tmp_path / "users.toml", region="eu-nl").identity for name in ("a", "b")
    )

    assert cleo == same
    assert cleo.project == "eu-nl"
    assert [len(value) for value in (cleo.project_id, cleo.domain_id, cleo.user_id)] == [32, 32, 32]
    assert len({cleo.project_id, cleo.domain_id, cleo.user_id}) == 3


def test_users_and_projects_can_be_added(tmp_path: Path, credentials: Path) -> None:
    """A user keeps its keys in another project, a project its id, and whoever is added twice is added once.

    Users of an account without a project of the region enter one and the same; others keep to their projects.
    """
    with Emulator(tmp_path / "data", executor="simulated", credentials=credentials) as emulator:
        anna = emulator.identity
        projects = [(user.user, user.project) for user in emulator.identities]
        assert projects == [("anna", "project-anna"), ("bert", "project-bert"), ("anna", "eu-de"), ("bert", "eu-de")]
        assert len({user.project_id for user in emulator.identities}) == 3
        other = emulator.add_identity("dora", "umbrella")
        shared = emulator.add_identity("anna", "acme", "project-bert")

        assert (other.account, other.project, other.domain_id == anna.domain_id) == ("umbrella", "eu-de", False)
        assert (shared.access_key, shared.project_id, shared.user_id) == (anna.access_key, "b" * 32, anna.user_id)
        assert emulator.add_identity("dora", "umbrella") == other


def test_a_region_must_fit_into_paths(tmp_path: Path) -> None:
    for region in ("", "eu/de", "eu de", "-", "x" * 65, "€"):
        with pytest.raises(EmulatorError, match="must be 1 to 64 letters"):
            started(tmp_path, region=region)
