"""Make the pictures of the page anew: `python docs/page_pictures.py` writes docs/pictures/page-*.png.

Real jobs run in an emulator that is started for them, and Chromium looks at its page (`make browser`).
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from playwright.sync_api import sync_playwright

from modelarts_toolkit import JobFailed, ModelArts

PICTURES = Path(__file__).parent / "pictures"
MODELARTS = Path(sys.executable).with_name("modelarts")
BROWSER = shutil.which("chromium")
SIZE = {"width": 1200, "height": 760}
SCRIPT = """\
import sys, math
options = dict(each.lstrip("-").split("=", 1) for each in sys.argv[1:])
rate, epochs = float(options["lr"]), int(options["epochs"])
print("reading 1437 images of 8 x 8 pixels")
for epoch in range(epochs):
    loss = 2.2 * math.exp(-rate * epoch) + 0.06 + 0.04 * math.sin(epoch)
    print(f"epoch {epoch + 1}/{epochs} loss: {loss:.4f} accuracy: {1 - loss / 2.4:.4f}", flush=True)
if rate > 0.3:
    import pandas
"""
ENGINE = "pytorch_1.8.0-cuda_10.2-py_3.7-ubuntu_18.04-x86_64"
# Where Python lies on this machine is nobody's business.
WITHOUT_PATHS = """() => { for (const line of document.querySelectorAll("#log div"))
  line.lastChild.textContent = line.lastChild.textContent.replace(/[/]\\S*[/]bin[/]python[\\d.]*/, "python"); }"""
JOBS: Mapping[str, Mapping[str, float]] = {
    "digits-small": {"lr": 0.08, "epochs": 40},
    "digits-large": {"lr": 0.2, "epochs": 40},
    "digits-plot": {"lr": 0.4, "epochs": 12},
}


class Served(NamedTuple):
    """An emulator with its page."""

    endpoint: str
    address: str
    environment: Mapping[str, str]


def main() -> None:
    """Run the jobs, and take the pictures."""
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as served, connected(served) as ma:
        (code := Path(folder, "code")).mkdir()
        (code / "train.py").write_text(SCRIPT)
        ma.obs.create_bucket("examples")
        ma.obs.upload(code, "obs://examples/digits/")
        ids = {name: submit(ma, name, parameters) for name, parameters in JOBS.items()}
        paths = {
            "jobs": "/",
            "log": f"/jobs/{ids['digits-plot']}",
            "compare": f"/compare?job={ids['digits-small']}&job={ids['digits-large']}",
        }
        take(served.address, paths)


def submit(ma: ModelArts, name: str, parameters: Mapping[str, float]) -> str:
    """Run a job to its end, good or bad, and return its id."""
    job = ma.jobs.submit(
        {
            "kind": "job",
            "metadata": {"name": name},
            "algorithm": {
                "code_dir": "/examples/digits/",
                "boot_file": "/examples/digits/train.py",
                "engine": {"engine_id": ENGINE},
                "parameters": [{"name": key, "value": str(value)} for key, value in parameters.items()],
            },
            "spec": {"resource": {"flavor_id": "modelarts.vm.cpu.8u", "node_count": 1}},
        }
    )
    try:
        job.wait()
    except JobFailed as error:
        print(f"{name}: {error}")
    return job.id


def take(address: str, paths: Mapping[str, str]) -> None:
    """Take a picture of each page."""
    with sync_playwright() as playwright:
        browser: Any = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        page = browser.new_page(viewport=SIZE)
        page.goto(address)
        page.wait_for_selector("#rows")
        for name, path in paths.items():
            page.goto(address.partition("/#")[0] + path)
            page.wait_for_selector("#log div, canvas, #rows tr")
            page.wait_for_timeout(500)
            page.evaluate(WITHOUT_PATHS)
            page.screenshot(path=PICTURES / f"page-{name}.png")
        browser.close()


@contextmanager
def serving(folder: Path) -> Iterator[Served]:
    """An emulator in this folder, with its page."""
    data = folder / "data"
    command: list[str | Path] = [MODELARTS, "emulator", "--ui", "--data-dir", data, "--port", "0", "--obs-port", "0"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={"PATH": "/usr/bin", "BROWSER": "true"}
    ) as run:
        try:
            assert run.stdout is not None  # noqa: S101 - for type checkers
            endpoint = re.findall(r"ready: (\S+)", run.stdout.readline())[0]
            address = run.stdout.readline().strip()
            exports = subprocess.check_output([MODELARTS, "emulator", "env", "--data-dir", data], text=True)
            yield Served(endpoint, address, dict(re.findall(r"^export (\w+)='?(.*?)'?$", exports, re.MULTILINE)))
        finally:
            run.terminate()


def connected(served: Served) -> ModelArts:
    """A client of the emulator."""
    names = ("endpoint", "iam_endpoint", "obs_endpoint", "project_id", "access_key", "secret_key")
    settings: Any = {name: served.environment[f"MODELARTS_{name.upper()}"] for name in names}
    return ModelArts(**settings)


if __name__ == "__main__":
    main()
