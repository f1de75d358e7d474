"""Names of the documents as the client writes them."""

import re

__all__ = ["snake"]


def snake(name: str) -> str:
    """The name of an operation or a parameter in Python."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.replace("-", "_")).lower()
