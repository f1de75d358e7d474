"""`modelarts contract`: a module for each command."""

from __future__ import annotations

import click

from .check import check
from .diff import diff
from .evidence import evidence
from .example import example
from .record import record
from .run import run

__all__ = ["contract"]


@click.group()
def contract() -> None:
    """Hold clients and services against the documents."""


for _command in (run, record, check, example, diff, evidence):
    contract.add_command(_command)
