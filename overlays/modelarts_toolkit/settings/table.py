"""The table of all settings, which the sources, the command line and its help read."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

# By setting: the `variables` of other clients, which count where MODELARTS_<SETTING> is not set; its names in a `cloud`
# of clouds.yaml, of which the first that is set counts; of a number the smallest one; and the help of its option.
TABLE: Mapping[str, Mapping[str, Any]] = json.loads(Path(__file__).with_name("settings.json").read_text("utf-8"))
