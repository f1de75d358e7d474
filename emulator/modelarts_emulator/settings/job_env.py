"""The environment variables with the address of the emulator and the credentials for a job."""

from __future__ import annotations

from modelarts_emulator.settings.accounts import Identity

__all__ = ["job_environment"]


def job_environment(api: str, objects: str, identity: Identity | None) -> dict[str, str]:
    """The variables of a job of this identity; without one, none of keys.

    The names of the endpoints are those of the page "Viewing Environment Variables of a Training Container". Those of
    the keys are assumptions: the first two are what scripts set for MoXing elsewhere, the others what S3 clients read.
    """
    variables = {"MA_APIGW_ENDPOINT": api, "S3_ENDPOINT": objects, "S3_USE_HTTPS": "0", "S3_VERIFY_SSL": "0"}
    if identity is not None:
        variables |= {
            "ACCESS_KEY_ID": identity.access_key,
            "SECRET_ACCESS_KEY": identity.secret_key,
            "AWS_ACCESS_KEY_ID": identity.access_key,
            "AWS_SECRET_ACCESS_KEY": identity.secret_key,
            "AWS_ENDPOINT_URL_S3": objects,
        }
    return variables
