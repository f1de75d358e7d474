"""What the README shows runs as it stands."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_twenty_lines_of_the_readme_train_a_model(environment: dict[str, str], tmp_path: Path) -> None:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    program = next(block for block in blocks if "follow_logs" in block)
    (tmp_path / "examples").symlink_to(ROOT / "examples")

    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    assert "epoch 40/40" in done.stdout
    assert (tmp_path / "outputs" / "model.npz").exists()
