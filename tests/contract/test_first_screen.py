"""The first screen of a run at which six things are wrong: the verdict, then a finding for each cause, by weight."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from tests.contract.corpus.changes import Change, always, at, in_seconds, set_to, success, without_login
from tests.contract.played import Colleague, Played, run

from modelarts_contract.documents import Documents
from modelarts_contract.proxy import Forward, ProxyRequest, ProxyResponse
from modelarts_contract.run.result import read


def renamed(member: Any) -> Any:
    return {("createTime" if name == "create_time" else name): value for name, value in member.items()}


REJECTION = b'{"error_code": "ModelArts.0010", "error_msg": "internal"}'
WRONG: dict[str, Change] = {
    "showTrainingJobEngines": without_login("none")(),
    "listTrainingJobEvents": always(500, REJECTION)(),
    "showTrainingJobFlavors": always(200, REJECTION)(),
    "listTrainingJobs": in_seconds("items.*.status.start_time")(),
    "showTrainingJobDetails": in_seconds("status.start_time")(),
    "listAlgorithms": success(at("items.*.metadata", renamed))(),
    "showAlgorithmByUuid": success(at("metadata", renamed))(),
    "showSearchAlgorithms": set_to("search_algo_list.0.description", "")(),
}
SCREEN = """\
The contract is broken: 6 findings (http://service, v2)
1. v2 showTrainingJobEngines: A request without the right login succeeds
   a request without a login succeeds
   for everybody who has data there; repeat: ... showTrainingJobEngines
2. v2 showTrainingJobFlavors: The status and the body contradict each other
   a success has the error_code ModelArts.0010
   for clients that read responses; repeat: ... showTrainingJobFlavors
3. v2 listTrainingJobEvents: The service fails
   every request gets status 500
   for clients that read responses; repeat: ... listTrainingJobEvents
4. v2 listAlgorithms and 1 other operation: A response does not fit its schema
   items[0].metadata.create_time is missing, and createTime is new
   for clients that read responses; repeat: ... listAlgorithms
5. v2 listTrainingJobs and 1 other operation: A time or an order cannot be right
   items[0].status.start_time is NUMBER: it is not a time of these years in ms since 1970
   for clients that read responses; repeat: ... listTrainingJobs
6. v2 showSearchAlgorithms: Nothing is shown where something has to be
   description is empty
   for clients that read responses; repeat: ... showSearchAlgorithms
new in the service: unusual value node_count_metrics: v2 listTrainingJobs, v2 showTrainingJobDetails
"""


def test_the_first_screen(played: Played, tmp_path: Path) -> None:
    """What one cause makes wrong elsewhere is counted, and a blank comes last."""
    Colleague(played)  # who has a job that runs
    documents = Documents(["v2"])

    def interfere(request: ProxyRequest, forward: Forward) -> ProxyResponse:
        found = documents.find(request.method, request.path)
        change = WRONG.get(found[0].operation_id) if found else None
        return change(request, forward) if change else forward(request)

    played.interfere = interfere
    chosen = [part for name in WRONG for part in ("--operation", name)]
    done = run(played, "--documents", "v2", "--rejected-logins", *chosen, "--report", str(tmp_path))

    shown = done.stdout.partition("document ")[0]
    shown = re.sub(
        r"; repeat: .* --operation (\w+)", r"; repeat: ... \1", shown.replace(played.address, "http://service")
    )
    assert re.sub(r"\d{9,}", "NUMBER", shown) == SCREEN
    assert len(read(tmp_path / "results.json").findings) == 6
    assert (tmp_path / "report.txt").read_text().startswith("The contract is broken: 6 findings")
