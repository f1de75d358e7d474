"""The endpoints of a region, `https://<service>.<region>.<domain>`.

Source: the page "Endpoints", which gives the form and no regions.
"""

from collections.abc import Mapping
from urllib.parse import urlsplit

from modelarts_toolkit.own_files import own_table

# Regions with ModelArts, and their domains; regions.json has the regions by domain.
# Huawei Cloud: ModelArtsRegion of huaweicloudsdkmodelarts (github.com/huaweicloud/huaweicloud-sdk-python-v3). It has
# ap-southeast-1 as well, at another domain than that region's other services: give its endpoints themselves.
# Open Telekom Cloud: "Regions and Endpoints" (github.com/opentelekomcloud-docs/regions-and-endpoints).
_REGIONS: Mapping[str, list[str]] = own_table(__package__, "regions.json")
DOMAINS = {region: domain for domain, regions in _REGIONS.items() for region in regions}

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
