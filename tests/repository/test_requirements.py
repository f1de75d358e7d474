"""The pinned requirements belong together: whoever adds a dependency pins all of them anew."""

from __future__ import annotations

import re
from pathlib import Path


def pins(root: Path, name: str) -> set[str]:
    """The pinned packages of a file, with version and marker."""
    text = (root / "requirements" / f"{name}.txt").read_text("utf-8")
    return set(re.findall(r"^[\w.-]+==[^\\\n]+", text, re.MULTILINE))


def test_what_a_smaller_set_pins_the_larger_one_pins_too(root: Path) -> None:
    """`make demo` works with the versions that the tests have, with and without TensorBoard."""
    assert pins(root, "demo") - pins(root, "demo-tensorboard") == set()
    assert pins(root, "demo-tensorboard") - pins(root, "dev") == set()
