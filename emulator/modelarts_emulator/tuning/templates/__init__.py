"""Templates for searches that a YAML file describes, by purpose: one file each in the folder of its purpose.

The names are those of the page "Obtaining Information About the YAML Template of an Auto Search Job".
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

FOLDER = Path(__file__).parent
NAMES: Final[dict[str, tuple[str, ...]]] = {
    "hpo": ("Anneal", "Bayes", "DragonFly", "FixNorm", "GridSearch", "TPE"),
    "nas": ("AutoBSS", "AutoEvo", "AutoTopo", "MBNAS"),
    "augment": ("AdvAutoAugment", "AutoAugment"),
    "compression": ("AutoCompress",),
}
PLACEHOLDER = "algorithm_type_zh to translate"  # what the published example has


def overview() -> list[dict[str, Any]]:
    """The purposes and the algorithms with a template for each."""
    return [
        {"algorithm_type_en": purpose, "algorithm_type_zh": PLACEHOLDER, "algorithm_names": list(names)}
        for purpose, names in NAMES.items()
    ]


def read(purpose: str, name: str) -> str | None:
    """The template's text; None if there is no such template."""
    if name not in NAMES.get(purpose, ()):
        return None
    return (FOLDER / purpose / f"{name}.yaml").read_text("utf-8")
