"""`modelarts v1`: what the first version of the API has."""

from collections.abc import Mapping

import click

from modelarts_toolkit.cli.groups import Group

LAZY: Mapping[str, tuple[str, str]] = {
    "job": (".job:v1_job", "Training jobs, by their newest version."),
    "version": (".v1.versions:version", "Versions of a training job."),
    "visualization": (".v1.visualization:visualization", "TensorBoards of results."),
    "engine": (".catalogue:v1_engine", "Engines of this version."),
    "flavor": (".catalogue:v1_flavor", "Kinds of nodes of this version."),
}


@click.group(cls=Group, lazy=LAZY, examples=("modelarts v1 job submit job.yaml", "modelarts v1 visualization list"))
def v1() -> None:
    """The first version of the training API, which the service keeps for old clients."""
