"""Access key and secret key in place of a login, against an emulator: the API, object storage, temporary keys."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from modelarts_emulator.server import Emulator
from modelarts_toolkit import ModelArts, ObsError, Unauthorized


@pytest.fixture(scope="module")
def emulator() -> Iterator[Emulator]:
    with Emulator(executor="simulated", check_responses=True) as running:
        yield running


def settings(emulator: Emulator, **changes: Any) -> dict[str, Any]:
    return {
        "endpoint": emulator.endpoint,
        "iam_endpoint": emulator.endpoint,
        "obs_endpoint": emulator.obs_endpoint,
        "access_key": emulator.identity.access_key,
        "secret_key": emulator.identity.secret_key,
        **changes,
    }


def temporary_keys(emulator: Emulator) -> dict[str, str]:
    user = {"id": emulator.identity.user_id, "password": emulator.identity.password}
    login = {"auth": {"identity": {"methods": ["password"], "password": {"user": user}}}}
    token = httpx.post(f"{emulator.endpoint}/v3/auth/tokens", json=login).headers["X-Subject-Token"]
    wanted = {"auth": {"identity": {"methods": ["token"], "token": {"id": token}}}}
    response = httpx.post(f"{emulator.endpoint}/v3.0/OS-CREDENTIAL/securitytokens", json=wanted)
    keys = response.raise_for_status().json()["credential"]
    return {"access_key": keys["access"], "secret_key": keys["secret"], "security_token": keys["securitytoken"]}


@pytest.mark.parametrize("kind", ["by-id", "by-name", "temporary"])
def test_one_pair_of_keys_opens_the_api_and_object_storage(emulator: Emulator, tmp_path: Path, kind: str) -> None:
    """With the project's name, its id is looked up by a signed request; temporary keys open both as well."""
    identity = emulator.identity
    chosen = {"project_name": identity.project} if kind == "by-name" else {"project_id": identity.project_id}
    chosen |= temporary_keys(emulator) if kind == "temporary" else {}
    code = tmp_path / "code"
    code.mkdir()
    (code / "train.py").write_text("print('trained')")

    with ModelArts(**settings(emulator, **chosen)) as ma:
        flavors = ma.v2.flavors.show_training_job_flavors()
        ma.obs.create_bucket(f"keys-{kind}")
        ma.obs.upload(code, f"obs://keys-{kind}/code/")
        stored = [entry.url for entry in ma.obs.list(f"obs://keys-{kind}/")]

    assert flavors.flavors
    assert stored == [f"obs://keys-{kind}/code/train.py"]


def test_temporary_keys_are_rejected_without_their_token(emulator: Emulator) -> None:
    keys = temporary_keys(emulator) | {"security_token": temporary_keys(emulator)["security_token"]}

    with ModelArts(**settings(emulator, project_id=emulator.identity.project_id, **keys)) as ma:
        with pytest.raises(Unauthorized, match=r"APIG\.0301"):
            ma.v2.flavors.show_training_job_flavors()
        with pytest.raises(ObsError):
            ma.obs.list("obs://keys/")
