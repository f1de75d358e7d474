"""The longer name by which the documentation of MoXing calls the same functions: `moxing.framework.file`."""

from moxing import file

__all__ = ["file"]
