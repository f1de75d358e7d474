"""`modelarts config` and `modelarts whoami`."""

import json
from pathlib import Path

import pytest
from tests.overlays.cli.conftest import Run

from modelarts_emulator.server import Emulator
from modelarts_toolkit.settings.sources import read_profiles


@pytest.fixture
def file(emulator: Emulator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of profiles that does not exist yet."""
    path = tmp_path / "settings" / "config.toml"
    monkeypatch.setenv("MODELARTS_CONFIG_FILE", str(path))
    return path


def init(run: Run, emulator: Emulator, name: str = "local", *options: str):
    user = emulator.identity
    return run(
        *("config", "init", name, "--endpoint", emulator.endpoint, "--iam-endpoint", emulator.endpoint),
        *("--obs-endpoint", emulator.obs_endpoint, "--username", user.user, "--domain-name", user.account),
        *("--project-name", user.project, "--access-key", user.access_key, *options),
        stdin=f"{user.password}\n{user.secret_key}\n",
    )


def test_a_profile_is_written_and_tried(run: Run, emulator: Emulator, file: Path) -> None:
    """Only its owner can read the file; the first profile is the default one."""
    done = init(run, emulator)

    assert done.exit_code == 0, done.stderr
    assert emulator.identity.project_id in done.stdout
    assert file.stat().st_mode & 0o777 == 0o600
    assert emulator.identity.password not in done.output
    assert json.loads(run("whoami", "-o", "json").stdout)["project_id"] == emulator.identity.project_id
    assert run("job", "list").exit_code == 0


def test_a_region_whose_endpoints_are_not_known_is_no_profile_without_them(run: Run, file: Path) -> None:
    """Before it asks for a secret: a region that is nearly right is named."""
    login = ("--username", "anna", "--domain-name", "team", "--offline")
    wrong = run("config", "init", "work", "--region", "eu-dee", *login)
    asked = run("config", "init", "work", *login, stdin="my-cloud\n")
    own = ("--endpoint", "https://modelarts.my.cloud", "--iam-endpoint", "https://iam.my.cloud")
    right = run("config", "init", "work", "--region", "my-cloud", *own, *login, stdin="secret\n")

    assert wrong.stderr.startswith("Error: the endpoints of region eu-dee are not known: did you mean eu-de?\n")
    assert "region my-cloud are not known: give --endpoint and --iam-endpoint, too\n" in asked.stderr
    assert (wrong.exit_code, asked.exit_code, right.exit_code) == (2, 2, 0)
    assert read_profiles(file)[0]["work"]["region"] == "my-cloud"


def test_what_else_is_in_the_file_stays(run: Run, emulator: Emulator, file: Path) -> None:
    file.parent.mkdir()
    file.write_text('# mine\n[profiles.work]\nregion = "eu-de"  # there\n')

    init(run, emulator, "local", "--offline")
    init(run, emulator, "local", "--offline")

    text = file.read_text()
    assert text.startswith('# mine\n[profiles.work]\nregion = "eu-de"  # there\n')
    assert text.count("[profiles.local]") == 1
    assert read_profiles(file)[1] is None
    assert run("config", "use", "local").exit_code == 0
    assert "local *" in run("config", "profiles").stdout
    assert json.loads(run("config", "profiles", "-o", "json").stdout) == {
        "default": "local",
        "profiles": ["work", "local"],
    }


@pytest.mark.parametrize(
    "written",
    [
        '[profiles."local"]\nregion = "eu-de"\n',
        "[profiles.'local'] # mine\nregion = \"eu-de\"\n",
        '[ profiles . local ]\nregion = "eu-de"\n\n[profiles.other]\nregion = "eu-nl"\n',
        'profiles.local.region = "eu-de"\n',
        'profiles = { local = { region = "eu-de" }, other = {} }\n',
        '[profiles]\nlocal = { region = "eu-de" }\n',
        '[profiles]\n[profiles.local]\nregion = """eu-de"""\n[other]\nx = 1\n[profiles.second]\n',
    ],
)
def test_a_profile_is_changed_however_its_table_is_written(
    run: Run, emulator: Emulator, file: Path, written: str
) -> None:
    """A second table of the same name would make the file unreadable for every command."""
    file.parent.mkdir()
    file.write_text(written)
    others = {name: settings for name, settings in read_profiles(file)[0].items() if name != "local"}

    done = init(run, emulator, "local", "--offline")

    assert done.exit_code == 0, done.stderr
    profiles, _ = read_profiles(file)
    assert profiles.pop("local")["username"] == emulator.identity.user
    assert profiles == others
    assert run("config", "use", "local").exit_code == 0
    assert read_profiles(file)[1] == "local"
    assert ("[other]" in written) == ("x = 1" in file.read_text())


def test_secrets_are_not_shown_and_a_changed_password_is_stored(run: Run, emulator: Emulator, file: Path) -> None:
    init(run, emulator, "local", "--offline")
    user = emulator.identity

    shown = run("config", "show")

    wrong = run("config", "init", "local", stdin=f"wrong\n{user.secret_key}\n")
    right = run("config", "init", "local", stdin=f"{user.password}\n{user.secret_key}\n")

    assert user.user in shown.stdout
    assert not [secret for secret in (user.password, user.secret_key) if secret in shown.output]
    assert (wrong.exit_code, right.exit_code) == (6, 0)


def test_without_settings_the_error_names_the_emulator_that_runs_and_how_to_use_a_cloud(
    run: Run, emulator: Emulator, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Three lines; `config show` has the names of all settings and their variables."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "no-emulator"))
    use = 'the profile "emulator" (--profile emulator, or MODELARTS_PROFILE=emulator)'
    cloud = "  A cloud: modelarts config init work --region eu-de (all settings: modelarts config show)\n"

    alone = run("job", "list")
    beside = run("job", "list", MODELARTS_EMULATOR_DATA_DIR=str(emulator.data_dir))

    first = "Error: no service is configured\n"
    assert alone.stderr == f"{first}  An emulator on this machine: modelarts emulator start, then {use}\n{cloud}"
    assert beside.stderr == f"{first}  An emulator runs on this machine, at {emulator.endpoint}: use {use}\n{cloud}"
    assert "(not set: MODELARTS_PASSWORD or OS_PASSWORD)" in run("config", "show").stdout


def test_the_emulator_of_this_machine_is_a_profile(
    run: Run, emulator: Emulator, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Unless there is a profile of this name."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "no-emulator"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))

    missing = run("whoami", "--profile", "emulator")
    run("config", "use", "emulator")
    idle = run("config", "show")
    found = run("whoami", MODELARTS_EMULATOR_DATA_DIR=str(emulator.data_dir))
    init(run, emulator, "emulator", "--offline")
    own = run("config", "show", "--profile", "emulator")

    folder = tmp_path / "no-emulator" / "modelarts-emulator"
    assert missing.stderr == f'Error: no emulator serves {folder}: start it with "modelarts emulator start"\n'
    assert idle.exit_code == 0
    assert emulator.endpoint in found.stdout
    assert emulator.identity.user in own.stdout
