"""The longer names by which pages and scripts of others import the same: `moxing.framework.file`, `.util.runtime`."""

import logging
import sys
from types import SimpleNamespace

from moxing import file

__all__ = ["file"]


def reset_logger(level: int = logging.INFO) -> None:
    """Set the level of Python's logging, which the real MoXing changes when it is imported."""
    logging.getLogger().setLevel(level)


runtime = SimpleNamespace(reset_logger=reset_logger)
sys.modules[f"{__name__}.file"] = file
sys.modules[f"{__name__}.util"] = sys.modules[__name__]
