"""The emulator in which a script runs: one that runs already, or a new one that ends with the run."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from modelarts_toolkit.install import install_command
from modelarts_toolkit.local.caller import Caller
from modelarts_toolkit.local.resources import Asked, left_devices
from modelarts_toolkit.local_emulator import LocalEmulator, local_emulator, settings_of

if TYPE_CHECKING:
    from modelarts_toolkit import Config


def installed_emulator(what: str) -> LocalEmulator:
    """Return the emulator of this machine; raises ConfigError if it is not installed."""
    if (emulator := local_emulator()) is None:
        from modelarts_toolkit.errors import ConfigError

        raise ConfigError(f"{what} needs the emulator: {install_command('local')}")
    return emulator


@contextmanager
def new_emulator(emulator: LocalEmulator, caller: Caller, asked: Asked) -> Iterator[Mapping[str, str]]:
    """Yield the variables of a new emulator that ends with the block; it runs scripts with the Python asked for.

    The tasks of several nodes may share an accelerator. Jobs of an emulator that runs already keep theirs.
    Raises ConfigError if it does not start.
    """
    left = left_devices(emulator, asked.gpus)
    caller.note("Starting an emulator for this run.")
    options = ["--engine", f"*={asked.python.path}"]
    options += [] if asked.requirements is None else ["--install-requirements"]
    options += [*left, "--share-devices", str(asked.nodes)] if asked.nodes > 1 else left
    with emulator.temporary(options) as ready:
        # while it starts
        import modelarts_toolkit._sync.client
        import modelarts_toolkit.jobs._sync.jobs
        import modelarts_toolkit.storage._sync.obs  # noqa: F401

        caller.check()
        try:
            environment = ready()
        except Exception as error:
            from modelarts_toolkit.errors import ConfigError

            raise ConfigError(str(error)) from error
        yield environment


def config_of(environment: Mapping[str, str]) -> "Config":
    """The settings for an emulator, from its variables alone."""
    from modelarts_toolkit import Config

    settings: dict[str, Any] = dict(settings_of(environment))
    return Config(login="keys", **settings)
