"""A pipeline that trains every night, and once more on a larger machine if there was not enough memory."""

from modelarts_toolkit import JobFailed, JobRequest, ModelArts

FLAVORS = ("modelarts.vm.cpu.2u", "modelarts.vm.cpu.8u")
OUT_OF_MEMORY = {137, 247}


def request(name: str, flavor_id: str) -> JobRequest:
    return {
        "kind": "job",
        "metadata": {"name": name},
        "algorithm": {
            "code_dir": "obs://nightly/code/",
            "boot_file": "obs://nightly/code/train.py",
            "engine": {"engine_id": "pytorch_1.8.0-cuda_10.2-py_3.7-ubuntu_18.04-x86_64"},
        },
        "spec": {"resource": {"flavor_id": flavor_id, "node_count": 1}},
    }


def train(ma: ModelArts, name: str, timeout_s: float | None = None) -> str:
    """The flavor that was large enough; raises JobFailed if none was."""
    for number, flavor_id in enumerate(FLAVORS):
        job = ma.jobs.submit(request(f"{name}-{number}", flavor_id))
        try:
            job.wait(timeout=timeout_s)
        except JobFailed as failure:
            if number + 1 == len(FLAVORS) or not OUT_OF_MEMORY & set(failure.exit_codes.values()):
                raise
        else:
            return flavor_id
    raise AssertionError("there are flavors")
