"""What the page about commands says of job files and exit statuses."""

import re
from pathlib import Path

from modelarts_toolkit.cli import exit_status
from modelarts_toolkit.cli.job_options import NAMES
from modelarts_toolkit.jobfiles.file import parse_job_file
from modelarts_toolkit.jobfiles.settings import ALIASES, SETTINGS, settings_of

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "cli.md").read_text("utf-8")


def test_the_job_file_that_is_shown_is_valid() -> None:
    (text,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)

    settings, wire, problems = settings_of(parse_job_file(text, "job.yaml").document)

    assert settings["parameters"] == {"lr": "0.10"}
    assert (wire, problems) == ({}, [])


def test_every_exit_status_and_every_key_is_documented() -> None:
    numbers = {value for name, value in vars(exit_status).items() if name.isupper() and isinstance(value, int)}
    keys = {key.replace("_", "-") for key in ALIASES} - {"environments", "hyperparameters", "parameter"}

    assert numbers == {int(number) for number in re.findall(r"(?m)^\| (\d+) \|", PAGE)}
    for key in (*SETTINGS, *keys):
        assert f"`{key}`" in PAGE or f"`{key.replace('_', '-')}`" in PAGE or f"\n{key}:" in PAGE, key
    assert set(NAMES.values()) <= set(SETTINGS)
