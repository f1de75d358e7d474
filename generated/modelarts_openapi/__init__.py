# Generated from openapi by scripts/generate.py; do not edit.
"""The bundled OpenAPI documents: what the client was generated from and what the emulator implements.

`error_codes`, `phases` and `secrets` are facts about the API beside them.
"""

from __future__ import annotations

from typing import Any, Final

NAMES: Final = ("iam", "v1", "v2")


def load(name: str) -> dict[str, Any]:
    """The document of that name, anew at each call; raises LookupError for a name that is not in `NAMES`."""
    if name not in NAMES:
        raise LookupError(f"there is no document named {name!r}; the documents are: {', '.join(NAMES)}")
    import json
    from pkgutil import get_data

    document: dict[str, Any] = json.loads(get_data(__name__, f"{name}.json") or "")
    return document
