"""Importing the package costs next to nothing, and everything is there when it is asked for."""

import subprocess
import sys

import pytest

import modelarts_toolkit


def test_every_public_name_can_be_had_and_no_other() -> None:
    for name in modelarts_toolkit.__all__:
        value = getattr(modelarts_toolkit, name)

        assert not isinstance(value, type) or value.__name__ == name
        assert name in dir(modelarts_toolkit)
    with pytest.raises(AttributeError, match="no attribute 'Modelart'"):
        getattr(modelarts_toolkit, "Modelart")  # noqa: B009 - the name is the point


@pytest.mark.parametrize(
    ("code", "unwanted"),
    [
        ("import modelarts_toolkit", {"httpx", "attrs", "modelarts_api"}),
        ("from modelarts_toolkit import ModelArts", {"obstore", "platformdirs", "tomllib", "attrs"}),
    ],
)
def test_nothing_is_loaded_before_it_is_needed(code: str, unwanted: set[str]) -> None:
    script = f"import sys\n{code}\nprint(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()

    assert not unwanted & set(loaded)
