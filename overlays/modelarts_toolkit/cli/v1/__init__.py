"""`modelarts v1`: the first version of the API."""

from collections.abc import Mapping

import click

from modelarts_toolkit.cli.groups import Group

LAZY: Mapping[str, tuple[str, str]] = {
    "job": (".job:v1_job", "Training jobs, by their newest version."),
    "version": (".v1.versions:version", "Versions of a training job."),
    "visualization": (".v1.visualization:visualization", "TensorBoards of results."),
    "engine": (".catalogue:v1_engine", "Engines of version 1."),
    "flavor": (".catalogue:v1_flavor", "Kinds of nodes of version 1."),
}


@click.group(cls=Group, lazy=LAZY, examples=("modelarts v1 job submit job.yaml", "modelarts v1 visualization list"))
def v1() -> None:
    """The first version of the training API, which the service keeps for old clients."""
