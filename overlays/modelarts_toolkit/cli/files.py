"""Files and folders that commands get: what is wrong with a path, and which one may have been meant."""

import os
from pathlib import Path
from typing import Any

import click

from modelarts_toolkit.texts import nearest


def nearest_text(path: object, form: str) -> str:
    """Put the nearest name that exists, as it can be typed, into the form; empty if none is near."""
    wanted = Path(os.fsdecode(path)) if isinstance(path, str | bytes | os.PathLike) else Path()
    try:
        near = nearest(wanted.name, [each.name for each in wanted.parent.iterdir()], "{}")
    except OSError:
        return ""
    return form.format(wanted.parent / near) if near else ""


class Input(click.Path):
    """A file or a folder that exists; reading a named pipe or a device could last for ever."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        try:
            path = Path(os.fsdecode(super().convert(value, param, ctx)))
        except click.BadParameter as error:
            if not os.path.lexists(value):
                error.message += nearest_text(value, " Did you mean {}?")  # type: ignore[misc]  # click declares it final
            raise
        if not (path.is_file() or path.is_dir()):
            self.fail(f"{path} is a named pipe, a socket or a device: name a file", param, ctx)
        return path
