"""What a browser loads once, before it shows the first page."""

from pathlib import Path

from modelarts_toolkit.ui.site import FOLDER

MOST_STATIC = 115_000  # bytes


def test_the_static_files_stay_small() -> None:
    loaded = [path for path in Path(FOLDER, "static").rglob("*.*") if path.suffix != ".LICENSE"]
    sizes = {str(path.relative_to(FOLDER)): path.stat().st_size for path in loaded}

    assert sum(sizes.values()) <= MOST_STATIC, sorted(sizes.items(), key=lambda each: -each[1])
