"""Built-in algorithms: page "Querying a Built-in Algorithm"."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from modelarts_emulator.http.call import Call, Response
from modelarts_emulator.v1 import builtin
from modelarts_emulator.v1.context import V1
from modelarts_emulator.v1.paging import read_page
from modelarts_emulator.v1.views import algorithm_view, done

__all__ = ["list_built_in_algorithms"]

SORTS = {"engine": "engine_version"}  # every other order is that of the member of the same name


def list_built_in_algorithms(v1: V1, call: Call) -> Response:
    """One page of the algorithms whose names contain the text."""
    query = call.query
    text = query.get("search_content", "").lower()
    found = [
        algorithm_view(algorithm, v1.catalogue.v1_engines[algorithm.engine_id])
        for algorithm in builtin.every().values()
        if text in algorithm.model_name.lower()
    ]
    sort_by = query.get("sortBy", "engine")
    found.sort(key=lambda view: _rank(view, SORTS.get(sort_by, sort_by)), reverse=query.get("order", "desc") == "desc")
    offset, limit = read_page(query)
    return Response(200, done(model_total_count=len(found), models=found[offset : offset + limit]))


def _rank(view: Mapping[str, Any], name: str) -> tuple[Any, Any]:
    return view[name], view["model_id"]
