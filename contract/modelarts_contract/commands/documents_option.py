"""The option `--documents`: names of OpenAPI documents."""

from __future__ import annotations

import click

import modelarts_openapi

__all__ = ["documents_option"]


def chosen_documents(_context: click.Context, _option: click.Parameter, value: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(name.strip() for name in value.split(",")))
    if unknown := [name for name in names if name not in modelarts_openapi.NAMES]:
        known = ", ".join(modelarts_openapi.NAMES)
        raise click.BadParameter(f"no document is named {', '.join(map(repr, unknown))}; the documents are {known}")
    return names


documents_option = click.option(
    "--documents",
    default=",".join(modelarts_openapi.NAMES),
    show_default=True,
    callback=chosen_documents,
    help="Names, separated by commas.",
)
