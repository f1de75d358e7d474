"""Values that a shell completes: names of jobs, profiles, flavors, ... that begin with the typed text."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeAlias

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from modelarts_toolkit import ModelArts

TIMEOUT_S = 2.0  # of a request: the user waits for the completion
SHOWN = 100  # entries, the newest

Values: TypeAlias = Iterable[tuple[Any, Any]]  # each with a description, which zsh and fish show
Find: TypeAlias = "Callable[[ModelArts, str], Values]"
Complete: TypeAlias = "Callable[[click.Context, click.Parameter, str], list[CompletionItem]]"


def completing(values: Find, of_v1: "Find | None" = None) -> Complete:
    """Return a function that completes values of the service; it finds none if the service does not respond.

    `of_v1` finds the values for commands of version 1.
    """

    def complete(context: click.Context, _: click.Parameter, incomplete: str) -> "list[CompletionItem]":
        from modelarts_toolkit import ModelArts, ToolkitError

        profile, cloud = context.params.get("profile"), context.params.get("cloud")
        find = of_v1 if "v1" in context.command_path.split() else values
        if find is None:
            return []
        try:
            with ModelArts(profile=profile, cloud=cloud, timeout=TIMEOUT_S, retries=0) as ma:
                return items(find(ma, incomplete), incomplete)
        except (ToolkitError, OSError):
            return []

    return complete


def items(values: Values, incomplete: str) -> "list[CompletionItem]":
    """The values that begin with the text."""
    from click.shell_completion import CompletionItem

    return [
        CompletionItem(str(value), help=None if about is None else str(about))
        for value, about in values
        if value is not None and str(value).startswith(incomplete)
    ]


def _jobs(ma: "ModelArts", incomplete: str) -> Values:
    """Names of jobs, and ids that begin with the text."""
    found = ma.jobs.list(limit=SHOWN)
    if incomplete:
        found += [
            job for job in ma.jobs.list(name=incomplete, limit=SHOWN) if job.id not in {each.id for each in found}
        ]
        yield from ((job.id, f"{job.name} {job.phase}") for job in found if job.id.startswith(incomplete))
    yield from ((job.name, job.phase) for job in found)


def _v1_jobs(ma: "ModelArts", incomplete: str) -> Values:
    """Names of jobs of version 1."""
    found = ma.v1_jobs.list(name=incomplete or None, limit=SHOWN)
    return ((each.name.partition("/")[0], each.phase) for each in found)


def _algorithms(ma: "ModelArts", _: str) -> Values:
    found = ma.v2.algorithms.iter_algorithms(sort_by="create_time", order="desc")
    return ((each.metadata.id, each.metadata.name) for each in found)


def _flavors(ma: "ModelArts", _: str) -> Values:
    return ((each.flavor_id, each.flavor_type) for each in ma.v2.flavors.show_training_job_flavors().flavors)


def _engines(ma: "ModelArts", _: str) -> Values:
    return ((each.engine_id, each.engine_name) for each in ma.v2.engines.show_training_job_engines().items)


jobs = completing(_jobs, _v1_jobs)
algorithms = completing(_algorithms)
flavors = completing(_flavors)
engines = completing(_engines)


def profiles(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> "list[CompletionItem]":
    """Profiles of the settings."""
    import os

    from modelarts_toolkit import ToolkitError
    from modelarts_toolkit.settings.profiles import read_profiles
    from modelarts_toolkit.settings.sources import EMULATOR, config_file

    try:
        found, _default = read_profiles(config_file(os.environ))
    except (ToolkitError, OSError):
        return []
    places: dict[str, str | None] = {EMULATOR: "the emulator of this machine"}
    places |= {name: each.get("region") or each.get("endpoint") for name, each in found.items()}
    return items(places.items(), incomplete)
