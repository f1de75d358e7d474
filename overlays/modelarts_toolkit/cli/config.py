"""`modelarts config` and `modelarts whoami`: profiles, their secrets, and a test of the login."""

import os
import sys
from typing import Any

import click

from modelarts_toolkit.cli.groups import Command, Group
from modelarts_toolkit.cli.terminal import Terminal, with_terminal
from modelarts_toolkit.settings.table import TABLE

HIDDEN = "***"
LOGINS = {"password": "password at IAM", "keys": "signed requests", "token": "ready token"}


@click.group(cls=Group)
def config() -> None:
    """Profiles: endpoints, logins and their secrets."""


def _with_settings(function: Any) -> Any:
    for name, setting in reversed([*TABLE.items()]):
        if "help" in setting:
            function = click.option(f"--{name.replace('_', '-')}", metavar="TEXT", help=setting["help"])(function)
    return function


@config.command()
@click.argument("name", default="default")
@_with_settings
@click.option("--offline", is_flag=True, help="Do not test the settings with a login.")
@with_terminal
def init(terminal: Terminal, name: str, offline: bool, **given: str | None) -> None:
    """Write a profile; ask for missing settings, such as secrets. An existing profile keeps its other settings.

    Secrets are read from the terminal without echo, or from standard input, one per line.
    """
    from modelarts_toolkit.settings.endpoints import DOMAINS
    from modelarts_toolkit.settings.sources import read_profiles, write_profile
    from modelarts_toolkit.texts import nearest

    file = _file()
    known = read_profiles(file)[0].get(name, {})
    settings: dict[str, Any] = known | {setting: value for setting, value in given.items() if value}
    if not settings.get("region") and not settings.get("endpoint"):
        settings["region"] = _ask("Region")
    region = settings.get("region") or ""
    if region not in DOMAINS and not settings.get("endpoint"):
        remedy = nearest(region, DOMAINS, "did you mean {}?") or "give --endpoint and --iam-endpoint, too"
        raise click.UsageError(f"the endpoints of region {region} are not known: {remedy}")
    if not settings.get("username") and not settings.get("access_key"):
        settings["access_key"] = _ask("Access key (empty: log in with a password)", default="")
        if not settings["access_key"]:
            settings["domain_name"] = settings.get("domain_name") or _ask("Account (domain)")
            settings["username"] = _ask("User")
    if settings.get("username"):
        settings["password"] = _ask("Password", is_hidden=True)
    if settings.get("access_key"):
        settings["secret_key"] = _ask("Secret key", is_hidden=True)
    write_profile(file, name, settings)
    terminal.note(f'Wrote profile "{name}" into {file}, which only you can read.')
    if not offline:
        _try(Terminal(terminal.format, name, None, terminal.quiet))


@config.command()
@with_terminal
def show(terminal: Terminal) -> None:
    """Show the settings in use, without the secrets, and how to set the missing ones."""
    from modelarts_toolkit.settings.config import ENVIRONMENT, Config, variables_of

    found = Config.load(terminal.profile, cloud=terminal.cloud)
    values = {name: getattr(found, name) for name in ENVIRONMENT}
    shown = {name: HIDDEN if value and TABLE[name].get("is_secret") else value for name, value in values.items()}
    shown |= {"login": found.login, "file": str(found.file)}
    document = {name: value for name, value in shown.items() if value is not None}
    unset = {name: f"(not set: {variables_of(name)})" for name in ENVIRONMENT if not values[name]}
    terminal.show_fields({**shown, **unset}, document)


@config.command()
@with_terminal
def profiles(terminal: Terminal) -> None:
    """List the profiles; * marks the default one."""
    from modelarts_toolkit.settings.sources import read_profiles

    found, default = read_profiles(_file())
    rows = [
        {
            "profile": f"{name} *" if name == default else name,
            "place": each.get("region") or each.get("endpoint"),
            "user": each.get("username") or each.get("access_key"),
        }
        for name, each in found.items()
    ]
    terminal.show_rows(
        rows,
        {"default": default, "profiles": list(found)},
        f"No profiles in {_file()}: modelarts config init creates one.",
    )


@config.command()
@click.argument("name")
@with_terminal
def use(terminal: Terminal, name: str) -> None:
    """Make a profile the default."""
    from modelarts_toolkit.settings.sources import set_default

    set_default(_file(), name)
    terminal.note(f'The default profile is "{name}" now.')


@click.command(cls=Command)
@with_terminal
def whoami(terminal: Terminal) -> None:
    """Log in, make a test call, and print your user, project and service."""
    _try(terminal)


def _try(terminal: Terminal) -> None:
    ma = terminal.connect()
    ma.jobs.list(limit=1)
    settings = ma.config
    fields = {
        "Endpoint": settings.endpoint,
        "Project": settings.project_name,
        "Project id": settings.project_id,
        "Account": settings.domain_name,
        "User": settings.username if settings.login == "password" else None,
        "Access key": settings.access_key if settings.login == "keys" else None,
        "Login": LOGINS.get(str(settings.login)),
        "Object storage": settings.obs_endpoint,
    }
    terminal.show_fields(fields, {name.lower().replace(" ", "_"): value for name, value in fields.items() if value})


def _ask(text: str, *, default: str | None = None, is_hidden: bool = False) -> str:
    if is_hidden and not sys.stdin.isatty():
        if value := sys.stdin.readline().rstrip("\n"):
            return value
        raise click.UsageError(f"{text} is missing on standard input")
    return str(click.prompt(text, default=default, hide_input=is_hidden, err=True, show_default=False))


def _file() -> Any:
    from modelarts_toolkit.settings.sources import config_file

    return config_file(os.environ)
