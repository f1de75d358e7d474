"""Search algorithms: page "Obtaining Supported Hyperparameter Search Algorithms"."""

from __future__ import annotations

from modelarts_emulator.http.call import Answer, Call

__all__ = ["show_search_algorithms"]


def show_search_algorithms(call: Call) -> Answer:
    """All algorithms that the service can search hyperparameters with."""
    found = [dict(entry) for entry in call.services.catalogue.search_algorithms.values()]
    return Answer(200, {"search_algo_count": len(found), "search_algo_list": found})
