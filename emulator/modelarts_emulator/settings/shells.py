"""Lines that set and unset variables of the environment in a shell."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping

__all__ = ["shell_lines"]


def shell_lines(shell: str, removed: Iterable[str], variables: Mapping[str, str]) -> list[str]:
    """The lines for `posix`, `fish` or `powershell`: remove some variables, and set others."""
    unset = list(removed)
    if shell == "fish":
        return [f"set -e {' '.join(unset)}", *(f"set -gx {name} {_fish(text)}" for name, text in variables.items())]
    if shell == "powershell":
        paths = ",".join(f"Env:{name}" for name in unset)
        lines = [f"Remove-Item -ErrorAction SilentlyContinue {paths}"]
        return lines + [f"$Env:{name} = {_powershell(text)}" for name, text in variables.items()]
    return [f"unset {' '.join(unset)}", *(f"export {name}={shlex.quote(text)}" for name, text in variables.items())]


def _fish(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _powershell(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
