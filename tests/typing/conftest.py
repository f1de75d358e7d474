"""The calls that the reference shows are made in the folder of the pages, which is not a package."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docs"))
