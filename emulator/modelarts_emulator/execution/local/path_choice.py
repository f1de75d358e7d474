"""How tasks see `/home/ma-user` and `/cache` on this machine, as users choose or as the system allows."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Literal

from modelarts_emulator.execution.container import MOUNTED
from modelarts_emulator.execution.local.namespaces import Launch, PathMode, launcher_command
from modelarts_emulator.http.errors import EmulatorError

__all__ = ["PathChoice", "choose_path_mode", "describe", "find_path_mode"]

PathChoice = Literal["auto", "namespace", "mapping"]

_PROBE_TIMEOUT_S = 10


def choose_path_mode(choice: PathChoice, needed: Sequence[Path]) -> tuple[PathMode, str]:
    """The mode, and why a better one is not possible; `needed` are files that tasks use under their own paths.

    Raises EmulatorError if namespaces are demanded where they do not work, and for another choice.
    """
    if choice == "mapping":
        return "mapping", ""
    if choice not in ("auto", "namespace"):
        raise EmulatorError(f"paths must be auto, namespace or mapping, not {choice!r}")
    own = (Path(sys.prefix), Path(sys.base_prefix), Path(sys.executable), Path(__file__))
    mode, reason = _find((*own, *(path.absolute() for path in needed)))
    if choice == "namespace" and mode == "mapping":
        raise EmulatorError(f"tasks cannot have a /home/ma-user of their own here ({reason}): use --paths mapping")
    return mode, reason


def describe(mode: PathMode, reason: str) -> str:
    """The mode in a sentence for users, for the start of the emulator."""
    if mode == "mapping":
        return "tasks find /home/ma-user below $MA_HOME" + (f" ({reason})" if reason else "")
    return "tasks see their own /home/ma-user and /cache"


def find_path_mode(needed: Sequence[Path]) -> tuple[PathMode, str]:
    """The best mode that works on this machine, found by trying; and why a better one is not possible.

    `needed` are directories that tasks must be able to see under their own paths.
    """
    if sys.platform != "linux":
        return "mapping", "only Linux has mount namespaces"
    for path in map(os.path.realpath, needed):
        if hiding := [mounted for mounted in MOUNTED if path == mounted or path.startswith(f"{mounted}/")]:
            return "mapping", f"{path} would be hidden behind the task's own {hiding[0]}"
    reason = _try(has_pid_namespace=True)
    if reason is None:
        return "namespace", ""
    return ("mapping", reason) if _try(has_pid_namespace=False) else ("namespace-without-pids", reason)


def _try(has_pid_namespace: bool) -> str | None:
    """Run a program that looks for its directories; why that does not work, or None if it does."""
    with tempfile.TemporaryDirectory(prefix="modelarts-emulator-") as folder:
        mounts = []
        for index, mounted in enumerate(MOUNTED):
            Path(folder, str(index)).mkdir()
            Path(folder, str(index), ".found").touch()
            mounts.append((f"{folder}/{index}", mounted))
        Path(folder, "root").mkdir()
        test = " && ".join(f"test -e {mounted}/.found" for mounted in MOUNTED)
        arguments = ["/bin/sh", "-c", test]
        plan = Launch("/", mounts, f"{folder}/root", os.getpid(), has_pid_namespace)
        try:
            done = subprocess.run(  # noqa: S603 - a fixed program
                launcher_command(plan, arguments), capture_output=True, timeout=_PROBE_TIMEOUT_S, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return str(error)
        if done.returncode == 0:
            return None
        said = done.stderr.decode(errors="replace").strip().splitlines()
        return said[-1] if said else "the mounted directories are not there"


_find = cache(find_path_mode)
