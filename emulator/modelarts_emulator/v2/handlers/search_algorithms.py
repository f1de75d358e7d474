"""Search algorithms: page "Obtaining Supported Hyperparameter Search Algorithms"."""

from __future__ import annotations

from modelarts_emulator.http.call import Call, Response
from modelarts_emulator.v2.context import V2

__all__ = ["show_search_algorithms"]


def show_search_algorithms(v2: V2, _call: Call) -> Response:
    """All algorithms that the service can search hyperparameters with."""
    found = [dict(entry) for entry in v2.catalogue.search_algorithms.values()]
    return Response(200, {"search_algo_count": len(found), "search_algo_list": found})
