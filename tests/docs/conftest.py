"""The programs in `docs` are not a package: they are imported from their folder, as in `docs/build.py`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docs"))
