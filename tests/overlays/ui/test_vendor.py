"""The one library that the page brings is what its authors published, with its licence."""

import hashlib
from pathlib import Path

import modelarts_toolkit

VENDOR = Path(modelarts_toolkit.__file__).parent / "ui" / "static" / "vendor"
# uPlot 1.6.32, with a line break at the end of texts
SHA256 = {
    "uPlot.iife.min.js": "19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f",
    "uPlot.min.css": "0cf09be05fa0760ca9a3330ea374f6655f08766c7b2b370e462afe98852147ce",
}
MOST_BYTES = 120_000  # of all that a page loads


def test_the_library_is_unchanged() -> None:
    found = {name: hashlib.sha256((VENDOR / name).read_bytes()).hexdigest() for name in SHA256}

    assert found == SHA256
    assert "MIT" in (VENDOR / "uPlot.LICENSE").read_text()


def test_a_page_loads_little() -> None:
    """All scripts, styles and pictures together."""
    files = [path for path in VENDOR.parent.rglob("*") if path.suffix in (".js", ".css", ".svg")]

    assert sum(path.stat().st_size for path in files) <= MOST_BYTES
