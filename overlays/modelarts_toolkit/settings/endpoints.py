"""The endpoints of a region, `https://<service>.<region>.<domain>`.

Source: the page "Endpoints", which gives the form and no regions.
"""

from collections.abc import Mapping
from urllib.parse import urlsplit

HUAWEI_CLOUD = "myhuaweicloud.com"
OPEN_TELEKOM_CLOUD = "otc.t-systems.com"

# Regions with ModelArts, and their domains.
# Huawei Cloud: ModelArtsRegion of huaweicloudsdkmodelarts (github.com/huaweicloud/huaweicloud-sdk-python-v3). It has
# ap-southeast-1 as well, at another domain than that region's other services: give its endpoints themselves.
# Open Telekom Cloud: "Regions and Endpoints" (github.com/opentelekomcloud-docs/regions-and-endpoints).
DOMAINS: Mapping[str, str] = {
    **dict.fromkeys(
        (
            *("af-north-1", "af-south-1", "ap-southeast-2", "ap-southeast-3", "ap-southeast-4", "cn-east-3"),
            *("cn-east-4", "cn-north-1", "cn-north-11", "cn-north-12", "cn-north-2", "cn-north-4", "cn-north-9"),
            *("cn-south-1", "cn-southwest-2", "cn-southwest-3", "la-north-2", "la-south-2", "me-east-1"),
            *("sa-brazil-1", "tr-west-1"),
        ),
        HUAWEI_CLOUD,
    ),
    "eu-de": OPEN_TELEKOM_CLOUD,
}

SERVICES = {"endpoint": "modelarts", "iam_endpoint": "iam", "obs_endpoint": "obs"}  # by the setting


def implied_by_region(settings: Mapping[str, str | None]) -> dict[str, str]:
    """Return the settings that the region adds: missing endpoints of the same cloud, and the project of the same name.

    Every region of the clouds has a project with the region's name.
    """
    region = settings.get("region") or ""
    if (domain := DOMAINS.get(region)) is None:
        return {}
    found = {name: f"https://{service}.{region}.{domain}" for name, service in SERVICES.items()}
    named = {name: settings[name] for name in SERVICES if settings.get(name)}
    if any(not (urlsplit(url or "").hostname or "").endswith(f".{domain}") for url in named.values()):
        return {}
    if not settings.get("project_id") and not settings.get("project_name"):
        found["project_name"] = region
    return {name: value for name, value in found.items() if name not in named}
