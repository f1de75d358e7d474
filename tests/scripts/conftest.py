"""The scripts are not a package: they are imported from their folder, as Python does when it runs them."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
