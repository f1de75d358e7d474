"""What a shell completes: names of jobs, profiles, flavors, ... that begin with what has been typed."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeAlias

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from modelarts_toolkit import ModelArts

TIMEOUT_S = 2.0  # of a call: nobody waits longer for a completion
SHOWN = 100  # entries, the newest

Values: TypeAlias = Iterable[tuple[Any, Any]]  # each with a word about it, which zsh and fish show
Find: TypeAlias = "Callable[[ModelArts, str], Values]"
Complete: TypeAlias = "Callable[[click.Context, click.Parameter, str], list[CompletionItem]]"


def completing(values: Find, of_v1: "Find | None" = None) -> Complete:
    """Complete by values of the service, `of_v1` for its first version; by none if it does not respond."""

    def complete(context: click.Context, _: click.Parameter, incomplete: str) -> "list[CompletionItem]":
        from modelarts_toolkit import ModelArts, ToolkitError

        profile, cloud = context.params.get("profile"), context.params.get("cloud")
        find = of_v1 if of_v1 is not None and "v1" in context.command_path.split() else values
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
    """Names of jobs; their ids where the text begins one."""
    found = ma.jobs.list(limit=SHOWN)
    if incomplete:
        found += [
            job for job in ma.jobs.list(name=incomplete, limit=SHOWN) if job.id not in {each.id for each in found}
        ]
        yield from ((job.id, f"{job.name} {job.phase}") for job in found if job.id.startswith(incomplete))
    yield from ((job.name, job.phase) for job in found)


def _v1_jobs(ma: "ModelArts", incomplete: str) -> Values:
    """Names of jobs of version 1, and after a slash those of the versions."""
    name, slash, _ = incomplete.partition("/")
    if slash:
        return ((f"{name}/{each.details.version_name}", each.details.status_name) for each in ma.v1_jobs.versions(name))
    return (
        (each.details.job_name, each.details.status_name)
        for each in ma.v1_jobs.list(name=incomplete or None, limit=SHOWN)
    )


def _algorithms(ma: "ModelArts", _: str) -> Values:
    found = ma.v2.algorithms.iter_algorithms(sort_by="create_time", order="desc")
    return ((each.metadata.id, each.metadata.name) for each in found)


def _flavors(ma: "ModelArts", _: str) -> Values:
    return ((each.flavor_id, each.flavor_type) for each in ma.v2.flavors.show_training_job_flavors().flavors)


def _engines(ma: "ModelArts", _: str) -> Values:
    return ((each.engine_id, each.engine_name) for each in ma.v2.engines.show_training_job_engines().items)


def _v1_flavors(ma: "ModelArts", _: str) -> Values:
    return ((each.spec_code, f"{each.core} cores") for each in ma.v1.resource_specs.list_job_resource_specs().specs)


def _v1_engines(ma: "ModelArts", _: str) -> Values:
    return ((each.engine_version, each.engine_id) for each in ma.v1.engines.list_job_engines().engines)


def _v1_configs(ma: "ModelArts", _: str) -> Values:
    found = ma.v1.training_job_configs.iter_training_job_configs()
    return ((each.config_name, each.engine_version) for each in found)


def _visualizations(ma: "ModelArts", _: str) -> Values:
    found = ma.v1.visualization_jobs.iter_visualization_jobs()
    return ((each.job_name, each.status_name) for each in found)


jobs = completing(_jobs)
v1_jobs = completing(_v1_jobs)
algorithms = completing(_algorithms)
flavors = completing(_flavors, _v1_flavors)
engines = completing(_engines, _v1_engines)
v1_configs = completing(_v1_configs)
visualizations = completing(_visualizations)


def job_then_folder(context: click.Context, parameter: click.Parameter, incomplete: str) -> "list[CompletionItem]":
    """A job, and after it a folder."""
    return _then_folder(jobs, context, parameter, incomplete)


def v1_job_then_folder(context: click.Context, parameter: click.Parameter, incomplete: str) -> "list[CompletionItem]":
    """A job of version 1, and after it a folder."""
    return _then_folder(v1_jobs, context, parameter, incomplete)


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


def _then_folder(
    first: Complete, context: click.Context, parameter: click.Parameter, incomplete: str
) -> "list[CompletionItem]":
    if context.params.get("last") or context.params.get(str(parameter.name)):
        from click.shell_completion import CompletionItem

        return [CompletionItem(incomplete, type="dir")]
    return first(context, parameter, incomplete)
