"""The decorator of operations that the document calls deprecated; a module of its own, because few need it."""

from __future__ import annotations

import sys

if sys.version_info >= (3, 13):
    from warnings import deprecated as deprecated
else:
    from typing_extensions import deprecated as deprecated

__all__ = ["deprecated"]
