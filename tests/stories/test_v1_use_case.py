"""The TensorFlow use case of version 1: eight steps over HTTP, with a real process that copies its data and its model.

Source: "Creating a Training Job Using the TensorFlow Framework", page modelarts_03_0401. The script is plain Python in
place of TensorFlow; `make demo ENGINE=tensorflow` runs the same with TensorFlow.
"""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.stories.conftest import eventually, log_in

from modelarts_toolkit import ModelArts

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "openapi/v1/examples"
DIGITS = ROOT / "examples/digits/data/digits.csv.gz"
BUCKET, CODE, DATA, OUTPUT = "test-modelarts", "mnist-tensorflow-code", "dataset-mnist", "mnist-model/output"
SCRIPT = '''
    """Recognize digits by the mean image of each: data and model are copied, as version 1 leaves it to the script."""
    import argparse, csv, gzip, json, pathlib
    import moxing as mox

    parser = argparse.ArgumentParser()
    parser.add_argument("--data_url"), parser.add_argument("--train_url")
    given, _ = parser.parse_known_args()
    print("data:", given.data_url, "results:", given.train_url)
    mox.file.copy_parallel(given.data_url, "data")
    rows = [list(map(float, row)) for path in sorted(pathlib.Path("data").glob("*.gz"))
            for row in csv.reader(gzip.open(path, "rt"))]
    training, held_out = rows[: len(rows) * 4 // 5], rows[len(rows) * 4 // 5 :]
    means = {}
    for digit in range(10):
        images = [row[:-1] for row in training if row[-1] == digit]
        means[digit] = [sum(pixels) / len(images) for pixels in zip(*images)]

    def recognize(image):
        return min(means, key=lambda digit: sum((a - b) ** 2 for a, b in zip(means[digit], image)))

    hits = sum(recognize(row[:-1]) == row[-1] for row in held_out)
    print(f"accuracy {hits / len(held_out):.3f}")
    pathlib.Path("model").mkdir()
    pathlib.Path("model/means.json").write_text(json.dumps({"accuracy": hits / len(held_out), "means": means}))
    mox.file.copy_parallel("model", given.train_url)
    print("Done exporting!")
'''


def printed(name: str) -> Any:
    """The request body or response that the use case prints."""
    return json.loads((EXAMPLES / f"{name}.json").read_text("utf-8"))


def end_of(client: httpx.Client, version: str) -> dict[str, Any]:
    """The details of the version if it has ended."""
    details = client.get(version).json()
    return {} if details["status"] in (1, 7, 8) else dict(details)


@pytest.fixture
def objects(ma: ModelArts, tmp_path: Path) -> ModelArts:
    """The toolkit, with code and data where the use case keeps them."""
    code = tmp_path / "train_mnist_tf.py"
    code.write_text(textwrap.dedent(SCRIPT))
    ma.obs.create_bucket(BUCKET)
    ma.obs.upload(code, f"obs://{BUCKET}/{CODE}/")
    ma.obs.upload(DIGITS, f"obs://{BUCKET}/{DATA}/")
    return ma


def test_the_use_case_works_as_printed(environment: dict[str, str], objects: ModelArts, tmp_path: Path) -> None:
    """Every request of the page has the response that the page prints, and the trained model recognizes digits."""
    with log_in(environment, "v1") as client:
        specs = client.get("job/resource-specs", params={"job_type": "train"})
        assert specs.status_code == 200
        spec = next(entry for entry in specs.json()["specs"] if entry["spec_code"] == "modelarts.vm.cpu.8u")
        assert spec in printed("listJobResourceSpecs.tensorflow-use-case")["specs"]

        engines = client.get("job/ai-engines", params={"job_type": "train"})
        assert engines.status_code == 200
        named = {entry["engine_version"]: entry["engine_id"] for entry in engines.json()["engines"]}
        assert named["TF-1.8.0-python3.6"] == 4

        body = printed("createTrainingJob.tensorflow-use-case")
        assert body["config"]["worker_server_num"] == spec["max_num"]
        created = client.post("training-jobs", json=body)
        assert created.status_code == 200
        assert created.json().keys() == printed("createTrainingJob.tensorflow-use-case-created").keys()
        assert (created.json()["status"], created.json()["version_name"]) == (1, "V0001")
        job = f"training-jobs/{created.json()['job_id']}"
        version = f"{job}/versions/{created.json()['version_id']}"

        details = eventually(lambda: end_of(client, version), "the version ends")
        files = client.get(f"{version}/log/file-names").json()
        log = client.get(f"{version}/aom-log", params={"log_file": "job-jobtest-tf.0", "lines": 8, "order": "desc"})
        assert details["status"] == 10, log.text
        assert details.keys() >= printed("showTrainingJobVersion.tensorflow-use-case").keys()
        assert details["duration"] > 0
        assert max(float(value) for value in details["system_metric_list"]["cpuUsage"]) > 0

        assert files == printed("listTrainingJobLogFiles.tensorflow-use-case")
        assert log.json().keys() == printed("showTrainingJobLog.tensorflow-use-case").keys()
        assert "Done exporting!\n" in log.json()["content"]
        assert f"data: obs://{BUCKET}/{DATA}/ results: obs://{BUCKET}/{OUTPUT}/\n" in log.json()["content"]

        objects.obs.download(f"obs://{BUCKET}/{OUTPUT}/", tmp_path / "model")
        assert json.loads((tmp_path / "model/means.json").read_text())["accuracy"] > 0.85

        assert client.delete(job).json() == {"is_success": True}
        assert client.get(version).json()["error_code"] == "ModelArts.0105"
