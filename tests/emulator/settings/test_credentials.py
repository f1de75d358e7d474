"""The credentials file of a data folder."""

from __future__ import annotations

import errno
import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from modelarts_emulator.server import Emulator, EmulatorError
from modelarts_emulator.settings.accounts import Identity, credentials_file, load, load_credentials


def own_identity(folder: Path) -> Identity:
    [identity] = load(credentials_file(folder))
    return identity


def test_each_folder_has_secrets_of_its_own_and_the_same_names(tmp_path: Path) -> None:
    """Password, access key and secret key differ between folders; names and ids do not."""
    one, other = (own_identity(tmp_path / name) for name in ("one", "other"))

    secrets = [(one.password, other.password), (one.access_key, other.access_key), (one.secret_key, other.secret_key)]
    assert [mine != theirs for mine, theirs in secrets] == [True, True, True]
    assert [len(mine) for mine, _ in secrets] == [32, 20, 40]
    assert (one.account, one.user, one.project) == ("emulator", "developer", "eu-de")
    assert (one.project_id, one.domain_id, one.user_id) == (other.project_id, other.domain_id, other.user_id)


def test_the_secrets_of_a_folder_stay_the_same(tmp_path: Path) -> None:
    """Every start of an emulator on a folder serves the same credentials."""
    made = own_identity(tmp_path / "data")

    for _ in range(2):
        with Emulator(tmp_path / "data") as emulator:
            assert emulator.identity == made


def test_a_file_without_a_control_token_leaves_that_of_the_folder(tmp_path: Path, credentials: Path) -> None:
    """Users can be replaced without a thought to the control API; a file that has a token replaces it, too."""
    own = load_credentials(tmp_path / "data")
    without = load_credentials(tmp_path / "data", credentials)
    credentials.write_text('control_token = "for-this-test-only"\n' + credentials.read_text())
    given = load_credentials(tmp_path / "data", credentials)

    assert [len(own.identities), len(without.identities), len(given.identities)] == [1, 2, 2]
    assert (without.control_token, given.control_token) == (own.control_token, "for-this-test-only")
    assert len(own.control_token) == 40
    assert own.control_token not in repr(own)


@pytest.mark.parametrize(
    "token", ["987654321987654321", '"too-short"', '"with a space in it"', '"ümlaut-ümlaut-ümlaut"']
)
def test_a_control_token_that_cannot_be_sent_is_rejected(tmp_path: Path, credentials: Path, token: str) -> None:
    """The message names the file and what is allowed, not the token."""
    credentials.write_text(f"control_token = {token}\n" + credentials.read_text())

    with pytest.raises(EmulatorError, match=r"credentials.toml: control_token: the value") as caught:
        load_credentials(tmp_path / "data", credentials)

    assert token.strip('"') not in str(caught.value)


@pytest.mark.parametrize(("mode", "is_warned"), [(0o644, True), (0o640, True), (0o600, False)])
def test_a_given_file_that_others_may_read_causes_a_warning(
    tmp_path: Path, credentials: Path, caplog: pytest.LogCaptureFixture, mode: int, is_warned: bool
) -> None:
    """It is used all the same; the warning names its mode and the remedy."""
    credentials.chmod(mode)

    assert len(load_credentials(tmp_path / "data", credentials).identities) == 2
    assert (f"mode {mode:o}): set its mode to 600" in caplog.text) == is_warned


def test_credentials_are_made_where_there_are_no_hard_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On FAT, for example: the file is complete and private, and no draft stays."""

    def fail(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", fail)
    path = credentials_file(tmp_path)

    assert len(load(path)) == 1
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


def test_a_folder_without_a_control_token_gets_a_remedy(tmp_path: Path) -> None:
    """A file that was edited too much can be made anew."""
    path = credentials_file(tmp_path)
    path.write_text(path.read_text().replace("control_token", "# control_token"))

    with pytest.raises(EmulatorError, match="has no control_token: delete the file to get new credentials"):
        load_credentials(tmp_path)


@pytest.mark.parametrize("umask", [0, 0o022])
def test_only_the_owner_can_read_the_file(tmp_path: Path, umask: int) -> None:
    """Folder and file are private whatever the umask, and no draft stays."""
    before = os.umask(umask)
    try:
        path = credentials_file(tmp_path / "data")
    finally:
        os.umask(before)

    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert list(path.parent.iterdir()) == [path]


def test_the_file_is_never_readable_by_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At the moment of its publication the draft already has its mode and its whole content."""
    seen = []

    link = os.link

    def observe(draft: Path, target: Path) -> None:
        seen.append((stat.S_IMODE(draft.stat().st_mode), load(draft)))
        link(draft, target)

    monkeypatch.setattr(os, "link", observe)

    made = own_identity(tmp_path)

    assert seen == [(0o600, (made,))]


def test_processes_that_make_the_file_at_once_get_the_same_secrets(tmp_path: Path) -> None:
    """`env` and the first start of an emulator can run at the same time."""
    with ThreadPoolExecutor(8) as threads:
        found = set(threads.map(own_identity, [tmp_path / "data"] * 32))

    assert len(found) == 1


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o602])
def test_a_file_that_others_can_read_is_rejected(tmp_path: Path, mode: int) -> None:
    """The message says what to do."""
    credentials_file(tmp_path).chmod(mode)

    with pytest.raises(EmulatorError, match=r"credentials.toml \(mode 6\d\d\): delete the file .* or set its mode"):
        credentials_file(tmp_path)


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    """The message names the folder and the option that chooses another."""
    (tmp_path / "file").write_text("in the way")

    with pytest.raises(EmulatorError, match=r"the data folder .*/file/below cannot be written .*--data-dir"):
        credentials_file(tmp_path / "file" / "below")
