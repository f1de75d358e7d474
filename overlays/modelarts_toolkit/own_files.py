"""Files with data beside the modules, which may be in a zip archive or in a program of PyInstaller."""

import json
from pkgutil import get_data
from typing import Any


def own_text(package: str, name: str) -> str:
    """Return the text of a file of the package; raises FileNotFoundError if it was installed without it."""
    if (data := get_data(package, name)) is None:
        raise FileNotFoundError(f"the package {package} was installed without its file {name}")
    return data.decode()


def own_table(package: str, name: str) -> Any:
    """As `own_text`: what a file of JSON or TOML holds."""
    text = own_text(package, name)
    if name.endswith(".json"):
        return json.loads(text)
    import tomllib

    return tomllib.loads(text)
