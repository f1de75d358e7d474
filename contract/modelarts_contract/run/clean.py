"""`make contract-clean SERVICE=https://...`: delete what contract runs left that were killed."""

from __future__ import annotations

import sys

from modelarts_toolkit.errors import ToolkitError

from . import real
from .objects import Objects


def main() -> str | None:
    """Clean up; return what went wrong."""
    try:
        config = real.settings("obs_endpoint", "access_key", "secret_key")
        runs = real.clean_abandoned(config, Objects(config))
    except (ToolkitError, real.ServiceError) as problem:
        return str(problem)
    print(f"cleaned up after {runs} runs" if runs else "nothing was left")  # noqa: T201
    return None


if __name__ == "__main__":
    sys.exit(main())
