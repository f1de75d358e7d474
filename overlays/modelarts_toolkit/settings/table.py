"""The table of all settings, which the sources, the command line and its help read."""

from collections.abc import Mapping
from typing import Any

from modelarts_toolkit.own_files import own_table

# By setting: the `variables` of other clients, which count where MODELARTS_<SETTING> is not set; its names in a `cloud`
# of clouds.yaml, of which the first that is set counts; of a number the smallest one; and the help of its option.
TABLE: Mapping[str, Mapping[str, Any]] = own_table(__package__, "settings.json")
