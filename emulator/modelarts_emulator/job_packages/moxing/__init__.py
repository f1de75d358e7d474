"""Files in object storage as if they were local: `import moxing as mox`, then `mox.file.copy_parallel(...)`.

Written from the published documentation of MoXing's file API; `mox.file` is all that is offered of MoXing, also under
the names of its packages for engines, which scripts import for it: `import moxing.pytorch as mox`.
Needs the standard library only, because the Python of a job may have nothing else.
"""

from __future__ import annotations

import logging
import sys
from types import SimpleNamespace
from typing import Any, NoReturn

from moxing import file

__all__ = ["file"]

_REMEDY = "is not offered in the emulator, only mox.file is: train with the framework, and read arguments with argparse"
runtime = SimpleNamespace(reset_logger=logging.getLogger().setLevel)
framework = mxnet = pytorch = tensorflow = util = sys.modules[__name__]
for _name in ("framework", "framework.util", "mxnet", "pytorch", "tensorflow"):
    sys.modules[f"moxing.{_name}"] = framework
sys.modules["moxing.framework.file"] = file


def __getattr__(name: str) -> NoReturn:
    raise AttributeError(f"moxing.{name} {_REMEDY}")


class _NotOffered:
    @staticmethod
    def find_spec(name: str, *_: Any) -> None:
        """Raise an error for a module that no other finder has found."""
        if name.startswith("moxing."):
            raise ModuleNotFoundError(f"{name} {_REMEDY}", name=name)


sys.meta_path.append(_NotOffered)
