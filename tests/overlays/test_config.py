"""Settings: where they come from, and what is never mixed."""

import tempfile
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.overlays.conftest import PASSWORD, PROJECT, Service, Twin

from modelarts_toolkit.errors import ConfigError
from modelarts_toolkit.settings.config import ENVIRONMENT, Config, Settings


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "config.toml"
    file.touch()
    return file


def load(file: Path, profile: str | None = None, /, settings: Any = None, **environ: str) -> Config:
    return Config.load(profile, environ={"MODELARTS_CONFIG_FILE": str(file), **environ}, **(settings or {}))


def test_every_setting_has_a_variable_and_a_place_in_the_config() -> None:
    """Arguments, variables and the config know the same settings."""
    own = {field.name for field in fields(Config)} - {"file", "login", "sources"}

    assert set(ENVIRONMENT) == set(Settings.__annotations__) == own


def login(source: str) -> Settings:
    """A complete login whose values name the source that it is in."""
    return {
        "endpoint": f"https://{source}.example.com",
        "iam_endpoint": f"https://iam.{source}.example.com",
        "project_name": f"project of {source}",
        "username": f"user of {source}",
        "password": f"password of {source}",
        "domain_name": f"domain of {source}",
    }


def storage(source: str) -> Settings:
    """Complete settings of object storage, likewise."""
    return {
        "obs_endpoint": f"https://obs.{source}.example.com",
        "access_key": f"key of {source}",
        "secret_key": f"secret of {source}",
    }


def as_variables(settings: Settings) -> dict[str, str]:
    return {f"MODELARTS_{name.upper()}": str(value) for name, value in settings.items()}


def write(file: Path, head: str = "", **profiles: Settings) -> None:
    sections = (
        f"[profiles.{name}]\n" + "".join(f'{key} = "{value}"\n' for key, value in settings.items())
        for name, settings in profiles.items()
    )
    file.write_text(f"{head}\n{''.join(sections)}")


def used(config: Config, like: Settings) -> Settings:
    return {name: getattr(config, name) for name in like}  # type: ignore[return-value]


def test_the_sources_go_in_order_of_how_explicit_they_are(file: Path) -> None:
    """Arguments, then a profile named explicitly, then the environment, then the default profile."""
    write(file, 'default_profile = "usual"', usual=login("usual"), named=login("named"))
    variables = as_variables(login("environment"))

    assert used(load(file), login("usual")) == login("usual")
    assert used(load(file, **variables), login("usual")) == login("environment")
    assert used(load(file, "named", **variables), login("usual")) == login("named")
    assert used(load(file, "named", login("arguments"), **variables), login("usual")) == login("arguments")


def test_the_password_of_a_named_profile_is_never_sent_to_a_host_of_the_environment(
    file: Path, twin: Twin, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Seen on the wire: every request goes to a host of the profile, whatever the environment names."""
    write(file, prod=login("prod") | {"password": PASSWORD, "project_id": PROJECT})
    monkeypatch.setenv("MODELARTS_CONFIG_FILE", str(file))
    for name in ("OS_AUTH_URL", "MODELARTS_ENDPOINT", "MODELARTS_IAM_ENDPOINT"):
        monkeypatch.setenv(name, "https://other.example.org/v3")

    twin.do(
        lambda ma: ma.v2.training_jobs.show_training_job_details("j"),
        profile="prod",
        transport=twin.transport(service),
    )

    assert [request.url.host for request in service.requests] == ["iam.prod.example.com", "prod.example.com"]
    assert b"user of prod" in service.requests[0].content


SOURCES = ("arguments", "profile", "environment")
SOME = st.fixed_dictionaries({}, optional={name: st.just(None) for name in {**login(""), **storage("")}})


@settings(max_examples=80, deadline=None, derandomize=True)
@given(st.tuples(SOME, SOME, SOME), st.sampled_from(["", "argument", "default"]))
def test_a_secret_goes_only_to_hosts_of_its_own_source(present: tuple[dict[str, None], ...], chosen: str) -> None:
    """Whatever is set where, a secret that is not an argument comes with the hosts and the user of its source."""
    found: list[Any] = []
    for source, names in zip(SOURCES, present, strict=True):
        found.append({name: value for name, value in {**login(source), **storage(source)}.items() if name in names})
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "config.toml")
        write(file, 'default_profile = "p"' if chosen == "default" else "", p=found[1])
        config = load(file, "p" if chosen == "argument" else None, found[0], **as_variables(found[2]))

    sources_of_hosts = {
        "password": ("endpoint", "iam_endpoint"),
        "secret_key": ("obs_endpoint",),
    }
    for secret, hosts in sources_of_hosts.items():
        for host in hosts:
            if getattr(config, secret) and getattr(config, host):
                origin = getattr(config, secret).rpartition(" ")[2]
                assert origin == "arguments" or f"{origin}.example.com" in getattr(config, host)
    for user, secret in (("username", "password"), ("access_key", "secret_key")):
        if getattr(config, user) and getattr(config, secret):
            origins = {getattr(config, name).rpartition(" ")[2] for name in (user, secret)}
            assert len(origins) == 1 or found[0].get(secret)  # a secret that is typed in


def test_arguments_may_complete_a_source(file: Path) -> None:
    """A password that is asked for need not be in a file."""
    incomplete = {name: value for name, value in login("work").items() if name != "password"}
    write(file, work=incomplete)  # type: ignore[arg-type]

    config = load(file, "work", {"password": "typed"}, OS_PASSWORD="stray", OS_USERNAME="stray")

    assert (config.username, config.password, config.endpoint) == ("user of work", "typed", "https://work.example.com")


def test_object_storage_and_project_come_from_no_source_below_the_login(file: Path) -> None:
    """Jobs on one cloud and their data on another are nobody's wish."""
    write(file, prod={name: value for name, value in login("prod").items() if name != "project_name"})  # type: ignore[arg-type]
    variables = as_variables(storage("emulator")) | {"MODELARTS_PROJECT_ID": "emulator"}

    config = load(file, "prod", None, **variables)

    assert (config.obs_endpoint, config.secret_key, config.project_id) == (None, None, None)
    with pytest.raises(ConfigError, match=r"MODELARTS_PROJECT_ID\), but the login comes from elsewhere"):
        config.require("project_id")


def test_variables_of_aws_set_nothing(file: Path) -> None:
    """They are those of another service, wherever their endpoint is."""
    aws = {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "s", "AWS_SESSION_TOKEN": "t", "AWS_REGION": "us-east-1"}

    assert load(file, **aws, AWS_ENDPOINT_URL_S3="http://127.0.0.1:9181") == load(file)


def test_an_empty_variable_counts_as_unset(file: Path) -> None:
    assert load(file, MODELARTS_USERNAME="", OS_USERNAME="theirs").username == "theirs"


def test_a_key_never_meets_a_secret_of_another_client(file: Path) -> None:
    """The half pair of MODELARTS_* is reported as incomplete, not completed from HUAWEICLOUD_SDK_*."""
    others = {f"HUAWEICLOUD_SDK_{name}": "theirs" for name in ("AK", "SK", "SECURITY_TOKEN")}

    config = load(file, MODELARTS_ACCESS_KEY="a", **others)

    assert (config.access_key, config.secret_key, config.security_token) == ("a", None, None)
    with pytest.raises(ConfigError, match="HUAWEICLOUD_SDK_SK is not used, because MODELARTS_ACCESS_KEY is set"):
        config.require("secret_key")


def keys(source: str) -> Settings:
    """Complete settings of a login by signatures, likewise."""
    return {"endpoint": f"https://{source}.example.com", "project_id": "p", "access_key": source, "secret_key": "s"}


def test_the_way_to_log_in_is_the_first_that_a_source_has(file: Path) -> None:
    """Token, then password, then keys; arguments decide before any other source."""
    variables = as_variables(login("environment") | {"access_key": "a", "secret_key": "s"})
    pair: Settings = {"access_key": "a", "secret_key": "s"}

    assert load(file, **variables).login == "password"
    assert load(file, **variables, MODELARTS_TOKEN="t").login == "token"
    assert load(file, None, {"token": "t"}, **variables).login == "token"
    assert load(file, None, pair, **variables).login == "keys"
    assert load(file, None, pair | {"obs_endpoint": "https://obs.example.com"}, **variables).login == "password"
    assert load(file, **as_variables(keys("environment"))).login == "keys"
    assert load(file).login is None


def test_another_user_as_argument_comes_without_the_password_of_the_first(file: Path) -> None:
    config = load(file, None, {"username": "someone else"}, **as_variables(login("environment")))

    assert (config.username, config.password) == ("someone else", None)


def test_a_profile_named_by_a_variable_must_not_contradict_the_environment(file: Path) -> None:
    """Which of the two is meant is not guessed; the error names both."""
    write(file, prod=login("prod"))

    assert load(file, MODELARTS_PROFILE="prod", OS_USERNAME="user of prod").password == "password of prod"
    with pytest.raises(ConfigError, match=r'MODELARTS_PROFILE names profile "prod", and MODELARTS_ENDPOINT sets'):
        load(file, MODELARTS_PROFILE="prod", MODELARTS_ENDPOINT="http://127.0.0.1:9180")


def test_a_password_of_another_identity_service_is_rejected(file: Path) -> None:
    """OS_PASSWORD belongs to OS_AUTH_URL; with another MODELARTS_IAM_ENDPOINT it would go to a foreign host."""
    both = {"OS_AUTH_URL": "https://a.example.com/v3", "MODELARTS_IAM_ENDPOINT": "https://b.example.com"}

    with pytest.raises(ConfigError, match="MODELARTS_IAM_ENDPOINT and OS_AUTH_URL name different identity services"):
        load(file, OS_USERNAME="u", OS_PASSWORD="p", **both)
    assert load(file, MODELARTS_USERNAME="u", MODELARTS_PASSWORD="p", **both).iam_endpoint == "https://b.example.com"


def test_keys_log_in_only_at_the_endpoint_of_their_own_source(file: Path) -> None:
    """The error names the source of the keys."""
    write(file, work=keys("work"))
    assert load(file, "work", MODELARTS_ENDPOINT="https://other.example.com").require_login() == "keys"
    write(file, work={"access_key": "AK", "secret_key": "s"})

    config = load(file, "work", MODELARTS_ENDPOINT="https://other.example.com", MODELARTS_PROJECT_ID="p")

    with pytest.raises(ConfigError, match='access_key is set by profile "work", but it is not the source of the end'):
        config.require_login()


def test_a_token_for_one_identity_service_is_not_used_where_another_is_named(file: Path) -> None:
    named = {"OS_AUTH_URL": "https://iam.a.example.com/v3", "MODELARTS_IAM_ENDPOINT": "https://iam.b.example.com"}

    with pytest.raises(ConfigError, match=r"the token is the one for OS_AUTH_URL: .*or set MODELARTS_TOKEN"):
        load(file, OS_TOKEN="t", **named)
    assert load(file, MODELARTS_TOKEN="t", **named).login == "token"
