"""Policies and jobs that search, for all tests of searches."""

from __future__ import annotations

from typing import Any


def make_policy(algorithm: str = "tpe_search", **changes: Any) -> dict[str, Any]:
    """A search for `lr` from 0 to 1 with ten trials, by accuracy; `changes` replace members."""
    own = {
        "reward_attrs": [
            {"name": "accuracy", "mode": "max", "regex": r"accuracy: (\S+)"},
            {"name": "loss", "mode": "min", "regex": r"loss: (\d+)"},
        ],
        "search_params": [{"name": "lr", "param_type": "continuous", "lower_bound": "0.0", "upper_bound": "1.0"}],
        "algo_configs": [
            {"name": algorithm, "params": [{"key": "num_samples", "value": "10", "type": "Integer"}]},
        ],
    }
    return own | changes


def make_body(api: Any, script: bytes = b"print('accuracy: 1')\n", **changes: Any) -> Any:
    """A job that searches with the script."""
    api.store.put(api.bucket, "search/train.py", script)
    return api.job_body(
        code_dir=f"/{api.bucket}/search/",
        boot_file=f"/{api.bucket}/search/train.py",
        policies={"auto_search": make_policy(**changes)},
        parameters=[{"name": "fixed", "value": "7"}],
    )
