"""`modelarts contract`: a module for each command."""

from __future__ import annotations

import click

from .check import check
from .clean import clean
from .diff import diff
from .record import record
from .run import run

__all__ = ["contract"]


@click.group()
def contract() -> None:
    """Check clients and services against the documents.

    \b
    Examples:
      modelarts contract run --report contract-report
      modelarts contract record https://modelarts.eu-de.otc.t-systems.com session.har
      modelarts contract check session.har --replay
    """


for _command in (run, clean, record, check, diff):
    contract.add_command(_command)
