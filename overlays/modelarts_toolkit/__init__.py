"""Training on ModelArts from Python: connect, submit, follow, wait, fetch the model.

    from modelarts_toolkit import ModelArts

    with ModelArts() as ma:
        job = ma.jobs.submit(body)
        for line in job.logs(follow=True):
            print(line)
        job.wait().download("outputs")

Every name is loaded on first use, so that importing this package costs next to nothing.
`__init__.pyi` says which module has each of them, for type checkers and for this one.
"""

import re
from importlib import import_module
from pathlib import Path

from modelarts_toolkit.version import VERSION

__version__ = VERSION

_STUB = Path(__file__).with_suffix(".pyi").read_text("utf-8")
_MODULES = {name: module for module, name in re.findall(r"^from (\S+) import (\w+) as", _STUB, re.MULTILINE)}

__all__ = sorted(_MODULES)


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_MODULES[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})
