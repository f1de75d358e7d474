"""Regions, as the identity service lists them."""

from __future__ import annotations

from typing import Any


def test_the_region_of_the_emulator_is_listed_and_shown(api: Any) -> None:
    [listed] = api.http.get("/v3/regions").json()["regions"]
    shown = api.http.get("/v3/regions/eu-de").json()["region"]

    assert shown == listed
    assert (shown["id"], shown["type"]) == ("eu-de", "public")


def test_another_region_is_not_found(api: Any) -> None:
    response = api.http.get("/v3/regions/eu-nl")

    assert response.status_code == 404
    assert "stands for eu-de" in response.json()["error"]["message"]
