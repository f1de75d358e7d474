"""The catalogue: what the documents name, and what a file changes."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.emulator.conftest import eventually

from modelarts_emulator.server import EmulatorError
from modelarts_emulator.settings.catalogue import Catalogue, Limits, find_python, load, max_nodes

EXAMPLES = Path(__file__).parents[3] / "openapi/v2/examples"


def members(node: Any, name: str) -> Iterator[Any]:
    """All values of the member, wherever it stands."""
    if isinstance(node, dict):
        if isinstance(node.get(name), str):
            yield node
        for inner in node.values():
            yield from members(inner, name)
    elif isinstance(node, list):
        for inner in node:
            yield from members(inner, name)


def documented(name: str) -> Iterator[tuple[str, Any]]:
    for path in sorted(EXAMPLES.glob("*.json")):
        for node in members(json.loads(path.read_text("utf-8")), name):
            yield path.name, node


def test_every_flavor_and_engine_that_an_example_names_is_there_with_the_values_it_prints() -> None:
    catalogue = load()
    for where, node in documented("flavor_id"):
        flavor = catalogue.flavors[node["flavor_id"]]
        shown = node.get("flavor_detail", node)
        for name in ("flavor_type", "billing"):
            assert shown.get(name, flavor.get(name)) == flavor.get(name), where
        for name, value in shown.get("flavor_info", {}).items():
            assert value.items() <= flavor["flavor_info"][name].items() if isinstance(value, dict) else True, where
    for where, node in documented("engine_version"):
        engine = catalogue.find_engine(node)
        assert engine is not None, (where, node)
        for name in ("engine_id", "engine_name", "tags", "v1_compatible", "run_user", "image_info"):
            assert node.get(name, engine.get(name)) == engine.get(name), where


def changed(tmp_path: Path, text: str) -> Catalogue:
    path = tmp_path / "catalogue.toml"
    path.write_text(text)
    return load(path)


OFFERS = """
[[flavor]]
flavor_id = "modelarts.vm.cpu.8u"
flavor_type = "CPU"
flavor_info = { max_num = 3 }

[[flavor]]
flavor_id = "own"
flavor_type = "GPU"

[[engine]]
engine_id = "own"
engine_name = "Own"
engine_version = "1"
python = "env/bin/python"

[limits]
code_files = 4096
log_bytes = 1000

[[v1_spec]]
spec_id = 27
flavor_id = "modelarts.vm.cpu.8u"
max_num = 4

[[v1_engine]]
engine_id = 950
engine_type = 10
engine_name = "PyTorch"
engine_version = "lab"
python = "bin/python"
"""


def test_a_file_replaces_an_entry_of_the_same_id_and_adds_others(tmp_path: Path) -> None:
    """Of either version of the API; a Python is relative to the file, and is not shown. Some limits stay."""
    catalogue = changed(tmp_path, OFFERS)

    assert max_nodes(catalogue.flavors["modelarts.vm.cpu.8u"]) == 3
    assert max_nodes(catalogue.flavors["own"]) == 1
    assert "modelarts.vm.cpu.2u" in catalogue.flavors
    assert catalogue.find_engine({"engine_name": "Own", "engine_version": "1"}) is not None
    assert (catalogue.v1_specs[27]["max_num"], catalogue.v1_engines[950]["engine_version"]) == (4, "lab")
    assert catalogue.v1_engines.keys() > {1, 3, 4, 100, 130}
    assert catalogue.pythons == {"950": tmp_path / "bin/python", "own": tmp_path / "env/bin/python"}
    assert catalogue.engines["own"] == {"engine_id": "own", "engine_name": "Own", "engine_version": "1"}
    assert catalogue.limits == Limits(code_files=4096, code_depth=32, code_bytes=5 * 1024**3, log_bytes=1000)


@pytest.mark.parametrize(
    ("stated", "cores", "memory", "bytes_"),
    [
        ("", 1, 1, None),
        ("flavor_info = { max_num = 2, cpu = { core_num = 4 } }", 4, 1, None),
        ("flavor_info = { memory = { size = 2, unit = 'GB' } }", 1, 2, 2 * 1024**3),
    ],
)
def test_a_flavor_is_shown_as_documented_whatever_the_file_leaves_out(
    tmp_path: Path, restart: Any, puppet: Any, stated: str, cores: int, memory: int, bytes_: int | None
) -> None:
    """In the list and with a job; what is shown instead is no limit of the job. Responses are validated."""
    path = tmp_path / "catalogue.toml"
    path.write_text(f"[[flavor]]\nflavor_id = 'own'\nflavor_type = 'CPU'\n{stated}\n")
    api = restart(catalogue=path)

    job_id = api.submit(resource={"flavor_id": "own", "node_count": 1})

    listed = [each for each in api.call("GET", "/training-job-flavors").json()["flavors"] if each["flavor_id"] == "own"]
    for each in (*listed, api.job(job_id)["spec"]["resource"]["flavor_detail"]):
        assert each["flavor_info"]["cpu"] == {"arch": "x86", "core_num": cores}, each
        assert each["flavor_info"]["memory"] == {"size": memory, "unit": "GB"}, each
    eventually(lambda: job_id in puppet.specs)
    assert puppet.specs[job_id].resources.memory_bytes == bytes_


FLAVOR = "[[flavor]]\nflavor_id = 'x'\nflavor_type = 'CPU'\n"
ENGINE = "[[engine]]\nengine_id = 'x'\nengine_name = 'x'\n"


WRONG = [
    ("[[flavour]]", "toml: unknown: flavour"),
    ("flavor = 1", 'flavor: the value is not of type "array"'),
    ("[[flavor]]\nflavor_type = 'CPU'", "flavor 1: flavor_id is missing"),
    ("[[flavor]]\nflavor_id = 'x'", "flavor 1: flavor_type is missing"),
    ("[[flavor]]\nflavor_id = 'x'\nflavor_type = 'NPU'", 'flavor 1: flavor_type: .* not one of "CPU", "GPU"'),
    (FLAVOR + "colour = 1", "flavor 1: unknown: colour"),
    (FLAVOR + "capacity = 0", "flavor 1: capacity: .* minimum of 1"),
    (FLAVOR + "flavor_info = { max_num = 0 }", "flavor 1: flavor_info.max_num: .* minimum of 1"),
    (FLAVOR + "flavor_info = { npu = { unit_num = 'many' } }", "flavor 1: flavor_info.npu.unit_num: .* does not match"),
    (FLAVOR + "flavor_info = { gpu = { unit_num = '1' } }", 'flavor 1: flavor_info.gpu.unit_num: .* type "integer"'),
    (FLAVOR + "flavor_info = { memory = { size = '1 GB' } }", 'flavor 1: flavor_info.memory.size: .* type "integer"'),
    (FLAVOR + "slurm = { queue = 'gpu' }", "flavor 1: slurm: unknown: queue"),
    (FLAVOR + "slurm = { options = '--exclusive' }", 'flavor 1: slurm.options: .* type "array"'),
    (FLAVOR + "slurm = { prolog = ['module'] }", 'flavor 1: slurm.prolog: .* type "string"'),
    (FLAVOR + "slurm = { options = ['partition'] }", r"flavor 1: slurm.options.0: .*does not match"),
    (ENGINE, "engine 1: engine_version is missing"),
    (ENGINE + "engine_version = 'x'\npython = 3", 'engine 1: python: the value is not of type "string"'),
    ("[limits]\ncode_file = 1", "limits: unknown: code_file"),
    ("limits = 1", "limits: the value is not of type"),
    ("[limits]\ncode_files = 0", "limits: code_files: .* minimum of 1"),
    ('[[v1_spec]]\nspec_id = 5\nflavor_id = "none"\nmax_num = 1', "v1_spec 5 names no flavor"),
    ('[[v1_spec]]\nspec_id = "5"\nflavor_id = "none"\nmax_num = 1', 'v1_spec 1: spec_id: .* type "integer"'),
    ("[[v1_engine]]\nengine_id = 5\nengine_type = 1", "v1_engine 1: engine_name is missing"),
    ("[[engine", "is not valid TOML"),
    ("[[search_algorithm]]\nname = 'grid_search'", "toml: unknown: search_algorithm"),
]


def test_a_file_that_is_not_right_is_rejected_by_the_place_of_what_is_wrong(tmp_path: Path) -> None:
    for text, message in WRONG:
        with pytest.raises(EmulatorError, match=f"the catalogue .*{message}"):
            changed(tmp_path, text)
    with pytest.raises(EmulatorError, match=r"cannot read .*none\.toml"):
        load(tmp_path / "none.toml")


PYTORCH = {
    "engine_id": "pytorch_1.8.0-cuda_10.2-py_3.7-ubuntu_18.04-x86_64",
    "engine_name": "PyTorch",
    "engine_version": "pytorch_1.8.0-cuda_10.2-py_3.7-ubuntu_18.04-x86_64",
}
OWN = "[[engine]]\nengine_id = 'own'\nengine_name = 'Own'\nengine_version = '1'\npython = '{}'\n"


@pytest.fixture
def python(tmp_path: Path) -> Path:
    """Another Python than the emulator's, by name."""
    path = tmp_path / "other-python"
    path.symlink_to(sys.executable)
    return path


def test_a_pattern_fits_name_version_id_or_image_in_any_case(python: Path, tmp_path: Path) -> None:
    """The first one that fits wins; without one it is the Python of the catalogue, or the emulator's."""
    patterns = ("PyTorch", "pytorch*", "*1.8.0*", PYTORCH["engine_id"], "*", "torch", "TensorFlow*")
    found = [find_python({pattern: python}, load())(PYTORCH) for pattern in patterns]
    assert found == [str(python)] * 5 + [sys.executable] * 2

    both = find_python({"*1.8*": python, "PyTorch*": Path(sys.executable)}, load())
    assert both(PYTORCH) == str(python)
    assert both({"engine_name": "PyTorch", "engine_version": "PyTorch-1.3.0-python3.6"}) == sys.executable
    of_images = find_python({"*/torch:*": python}, load())
    assert of_images({"image_url": "team/torch:2"}) == str(python)
    assert of_images({"image_url": "team/other:2"}) == of_images(None) == sys.executable
    offered = changed(tmp_path, OWN.format(python.name))
    assert find_python({}, offered)(offered.engines["own"]) == str(python)
    assert find_python({"own": Path(sys.executable)}, offered)(offered.engines["own"]) == sys.executable


def test_a_path_that_is_not_a_program_is_rejected_by_name(tmp_path: Path) -> None:
    """It does not exist, or may not be executed."""
    path = tmp_path / "python"
    for _ in range(2):
        with pytest.raises(EmulatorError, match=rf"--engine PyTorch\*: {path} is not a program: name a Python"):
            find_python({"PyTorch*": path}, load())
        path.write_text("")
    with pytest.raises(EmulatorError, match=r"python of engine own: .* is not a program"):
        find_python({}, changed(tmp_path, OWN.format("python")))


def test_a_program_that_is_no_python_is_rejected_by_name(tmp_path: Path) -> None:
    with pytest.raises(EmulatorError, match=r"--engine PyTorch\*: /bin/ls is not a Python that runs"):
        find_python({"PyTorch*": Path("/bin/ls")}, load())
    with pytest.raises(EmulatorError, match=r"python of engine own: /bin/ls is not a Python that runs"):
        find_python({}, changed(tmp_path, OWN.format("/bin/ls")))


def test_a_pattern_that_fits_no_engine_is_pointed_out(python: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Engines that only version 1 has are of the catalogue, too."""
    find_python({"tf-1.8.0-*": python, "4": python}, load())
    assert caplog.records == []
    find_python({"PyTroch*": python}, load())

    assert "--engine PyTroch* fits no engine of the catalogue" in caplog.text


def test_without_a_default_there_is_a_python_only_where_somebody_names_one(python: Path, tmp_path: Path) -> None:
    """Also if it is that of the default."""
    offered = changed(tmp_path, OWN.format(python.name))
    find = find_python({"PyTorch*": Path(sys.executable), "*/torch:*": python}, offered, default="")

    engines = (offered.engines["own"], PYTORCH, {"image_url": "team/torch:2"}, {"image_url": "team/other:2"}, None)
    assert [find(engine) for engine in engines] == [str(python), sys.executable, str(python), "", ""]
