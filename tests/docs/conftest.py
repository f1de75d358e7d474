"""What makes the pages is no package: it is imported from its folder, as Python does when it runs `docs/build.py`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docs"))
