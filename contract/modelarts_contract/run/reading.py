"""A run that reads: lists give ids, ids give details, and these lead to tasks, logs, events and metrics.

Where responses lead is said by the links of the documents. Lists are asked for in pages, in every order and with every
condition; what must be rejected is asked for as well: things that do not exist, and requests without the right login.
"""

from __future__ import annotations

import re
import time
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from modelarts_contract.documents import NOT_FOUND, Link, Operation
from modelarts_contract.exchange import Exchange
from modelarts_contract.expressions import at, evaluate
from modelarts_contract.finding import Kind
from modelarts_contract.rules.lists import known_values, pages_differ
from modelarts_contract.rules.session import code_of
from modelarts_contract.run.conditions import NO_TEXT, SPECIAL, conditions
from modelarts_contract.run.judging import Judge
from modelarts_contract.run.service import SUBJECT
from modelarts_contract.seen import Seen, dig, item_id, numbered, stored_links, texts, whole

__all__ = ["Reader"]

ENOUGH = 4  # successes of an operation
TRIES = 10  # requests of an operation, until there are enough successes
AGAIN = 3  # requests for what neighbours may have changed meanwhile
DOUBTS = 100  # contradictions that are asked for again
LARGEST = 50  # items of a page
PAGES = ((1, 0), (1, 1), (1, 2), (3, 0), (3, 1))  # of lists: how many items, and which page
TURNS = (0, 1, 1, 0, 1, 0, 0, 1)  # of two requests; what somebody changes has no such rhythm
NOBODY = 999_999_999  # an id that no thing has
NO_UUID = "00000000-0000-4000-8000-000000000000"
UNAUTHORIZED = 401
COUNTED = frozenset({Kind.TOTAL, Kind.PAGES})  # what somebody changes between counting and listing
OTHER_PROJECT = "0" * 31 + "1"
MADE_UP_TOKEN = "made-up-token-of-the-contract-tests"

Params = Mapping[str, Any]
Request = tuple[Operation, Params, Params, Any]  # with path, query and body
Doubt = tuple[Request, Request, Callable[[Seen, Seen], str]]  # says why two responses contradict each other


class Reader:
    """Reads what is in a project; `found` has the parameters of paths that exist, by operation, with the response."""

    def __init__(self, judge: Judge, chosen: Collection[str] = ()) -> None:
        self.judge = judge
        documented = judge.documents.operations
        self.operations = {(each.name, each.operation_id): each for each in documented}
        self.reads = [each for each in documented if each.kind == "read" and not judge.service.reason_to_skip(each)]
        self.chosen = set(chosen)
        self.found: dict[Operation, list[tuple[Params, Exchange]]] = {}
        self._tries: Counter[Operation] = Counter()
        self._silent: set[Operation] = set()
        self._doubts: dict[tuple[Operation, str], Doubt] = {}
        self._rejected: dict[tuple[Operation, str], tuple[Request, Request | None]] = {}

    def run(self) -> None:
        """Read everything once; what is wrong is recorded by the judge."""
        steps = (self.walk, self.probe_lists, self.ask_for_absent_things, self.settle, self.try_other_logins)
        for step in steps:
            if self.judge.service.trouble is None:
                step()
        for login in self.judge.service.guard.logins if self.judge.service.guard else ():
            self.judge.check_login(login)
        self.report_failing()

    def settle(self) -> None:
        """Ask again for what is in doubt, as soon as what somebody changes is shown everywhere."""
        memory = self.judge.session.memory
        doubts = list(memory.statements.contradictions.values())[:DOUBTS]
        if doubts or self._doubts or self._rejected:
            time.sleep(memory.lag_s)
        requests = [seen for doubt in doubts for seen in doubt.requests]
        again = {(seen.exchange.method, seen.exchange.url, seen.exchange.request_body): seen for seen in requests}
        for seen in again.values():
            self.ask(seen.operation, seen.path, seen.query, seen.sent)
        for request, origin in self._rejected.values():
            self.settle_rejection(request, origin)
        for doubt in self._doubts.values():
            self.settle_doubt(*doubt)
        for operation in self.found:
            if any(400 <= status < 500 for status in self.judge.statuses[operation.label]):
                self.repeat_success(operation)

    def repeat_success(self, operation: Operation) -> None:
        """Report a request that is rejected and was served before, unless what it is about is gone."""
        exchange = self.ask(*self.first(operation))
        if self.judge.is_rejected(exchange) and exchange.status != UNAUTHORIZED and not self.judge.is_absent(exchange):
            text = f"{rejection(exchange)}, and the same request was served before"
            self.judge.report(operation, exchange, Kind.REJECTED, text)

    def settle_rejection(self, request: Request, origin: Request | None) -> None:
        """Report a valid request that is rejected again, while what led to it is served as before."""
        operation, exchange = request[0], self.ask(*request)
        if not self.judge.is_rejected(exchange):
            return
        text, is_proved = "it needs nothing that has to exist", True
        if exchange.status == UNAUTHORIZED:
            others = [each for each in self.found if each.name == operation.name and each != operation]
            text = "other operations accept the login"
            is_proved = any(200 <= self.ask(*self.first(each)).status < 300 for each in others[:1])
        elif origin is not None and origin[0] is operation:
            text = f"the list is shown without {', '.join({**request[2], **(request[3] or {})})}"
            is_proved = 200 <= self.ask(*origin).status < 300
        elif origin is not None:
            text = f"{origin[0].operation_id} shows what it is about"
            is_proved = request in self.onward(origin[0], origin[1], self.ask(*origin))
        if is_proved:
            given = {**operation.parameters("query"), **operation.settings()}
            is_assumed = any("x-assumption" in given.get(name, {}) for name in request[2])
            kind = Kind.UNUSUAL if is_assumed else Kind.REJECTED
            self.judge.report(operation, exchange, kind, f"{rejection(exchange)}, although {text}")

    def first(self, operation: Operation) -> Request:
        """The first request of the operation that has succeeded."""
        path, exchange = self.found[operation][0]
        return operation, path, self.seen(exchange).query, self.seen(exchange).sent

    def settle_doubt(self, one: Request, other: Request, contradiction: Callable[[Seen, Seen], str]) -> None:
        """Report two responses that contradict each other, if both stay as they are."""
        pause_s = self.judge.session.memory.lag_s / len(TURNS)
        for _ in range(AGAIN):
            shown: tuple[list[Seen], list[Seen]] = ([], [])
            for turn in TURNS:
                shown[turn].append(self.seen(self.judge.call(*(one, other)[turn])))
                if state(shown[turn][0]) != state(shown[turn][-1]) or not shown[turn][-1].is_success:
                    break
                time.sleep(pause_s)
            else:
                if text := contradiction(shown[0][0], shown[1][0]):
                    self.judge.report(other[0], shown[1][0].exchange, Kind.PAGES, text)
                return

    def existing(self) -> dict[str, dict[str, Any]]:
        """Parameters of paths that exist, by operation, for those that need some or succeed without."""
        return {each.label: dict(successes[0][0]) for each, successes in self.found.items()}

    def is_tried(self, operation: Operation) -> bool:
        return operation not in self._silent and (not self.chosen or operation.operation_id in self.chosen)

    def walk(self) -> None:
        """Follow links from the lists, breadth first, until every operation has succeeded often enough."""
        ahead: deque[tuple[Request, Request | None]] = deque()
        for operation in self.reads:
            if not operation.path_names and not required(operation):
                body: Any = {} if operation.body_schema() is not None else None
                if operation.pagination:  # of many things, those that show most are opened
                    ahead.append(((operation, {}, *placed(operation, self.sized(operation, LARGEST, 0))), None))
                ahead.append(((operation, {}, {}, body), None))
        seen = set()
        while ahead:
            request, origin = ahead.popleft()
            operation, path, *_ = request
            key = operation, *map(str, request[1:])
            if key in seen or self._tries[operation] >= TRIES or len(self.found.get(operation, ())) >= ENOUGH:
                continue
            seen.add(key)
            self._tries[operation] += 1
            exchange = self.ask(*request)
            if 200 <= exchange.status < 300:
                self.found.setdefault(operation, []).append((path, exchange))
                for onward in self.onward(operation, path, exchange):
                    if onward[0] is not operation:
                        ahead.append((onward, request))
                    elif origin is None or origin[0] is not operation:  # the next piece of the same
                        ahead.appendleft((onward, request))
            elif is_owed(operation, origin and origin[0], exchange):
                self.doubt_rejection(request, origin, exchange)

    def doubt_rejection(self, request: Request, origin: Request | None, exchange: Exchange) -> None:
        """Ask again, later, for what the document allows and the service rejects."""
        if self.judge.is_rejected(exchange):
            self._rejected.setdefault((request[0], str(exchange.status)), (request, origin))

    def onward(self, operation: Operation, path: Params, exchange: Exchange) -> Iterator[Request]:
        """The requests to which a response leads, those of unlike items first."""
        seen = Seen.of(exchange, self.judge.documents)
        if seen is None:
            return
        scope = {"request.path": {**path}, "request.query": seen.query, "request.body": seen.sent}
        scope |= {"response.body": seen.shown}
        further = [Link(id_, given) for id_, given in operation.contract.get("reads", {}).items()]
        beside = [Link(each.operation_id, {}) for each in self.reads if is_beside(each, operation, path)]
        for link in [*operation.links(exchange.status), *further, *beside]:
            target = self.operations.get((operation.name, link.operation_id))
            if target is None or target not in self.reads:
                continue
            names = set(target.path_names)
            for number in unlike(seen, link.parameters):
                values = {**path, **evaluate(numbered(link.parameters, number), scope)}
                place = {name: value for name, value in values.items() if name in names}
                query = {name: value for name, value in values.items() if name in target.parameters("query")}
                missing = required(target) - set(query)
                if len(place) == len(names) and None not in [*place.values(), *query.values()] and not missing:
                    yield target, place, query, {} if target.body_schema() is not None else None

    def ask(self, operation: Operation, path: Params, query: Any = None, body: Any = None) -> Exchange:
        """Ask if the operation is tried; status 0 if it is not, or does not respond."""
        if operation in self._silent or (self.chosen and not self.leads_to_chosen(operation)):
            return Exchange(operation.method, "http://not-sent/", 0)
        exchange = self.judge.call(operation, path, query, body)
        if exchange.status == 0 and self.judge.service.trouble is None:
            self._silent.add(operation)
            self.judge.report(
                operation, exchange, Kind.SERVER_ERROR, f"no response, {exchange.attempts} times in a row"
            )
        return exchange

    def leads_to_chosen(self, operation: Operation) -> bool:
        """Whether the operation is chosen, or gives ids for one that is."""
        chosen = [each for each in self.operations.values() if each.operation_id in self.chosen and each.path_names]
        return operation.operation_id in self.chosen or operation.name in {each.name for each in chosen}

    def report_failing(self) -> None:
        """Report operations that fail each time; occasional failures do not break the contract."""
        for operation in self.reads:
            statuses = self.judge.statuses.get(operation.label, Counter())
            if 501 in statuses and not operation.is_emulated:
                continue
            if statuses and self.judge.service.trouble is None and all(status >= 500 for status in statuses):
                status = next(iter(statuses))
                failed = self.judge.failures.get(operation.label)
                self.judge.report(operation, failed, Kind.SERVER_ERROR, f"every request gets status {status}")
            elif statuses[500]:
                failed = self.judge.failures[operation.label]
                self.judge.report(operation, failed, Kind.SERVER_ERROR, "a request gets status 500")

    def probe_lists(self) -> None:
        """Ask for pages, orders and conditions of every list."""
        for operation, successes in list(self.found.items()):
            if not self.is_tried(operation):
                continue
            path, exchange = max(successes, key=lambda found: len(self.seen(found[1]).items))
            if operation.pagination:
                self.probe_pages(operation, path)
                self.probe_orders(operation, path)
                self.probe_negative_limit(operation, path)
            self.probe_counts(operation, path)
            self.probe_filters(operation, path, self.seen(exchange))

    def seen(self, exchange: Exchange) -> Seen:
        found = Seen.of(exchange, self.judge.documents)
        assert found is not None
        return found

    def ask_list(self, operation: Operation, path: Params, given: Params, *, is_owed: bool = True) -> Seen:
        """Ask for a list, and record what is wrong with it each time; an item may come or go while it is counted."""
        request = (operation, path, *placed(operation, given))
        for _ in range(AGAIN):
            exchange = self.judge.send_with_retries(*request)
            wrong = self.judge.check(operation, exchange)
            if all(each.kind not in COUNTED for each in wrong):
                break
        self.judge.record(operation, exchange, wrong)
        if is_owed:
            self.doubt_rejection(request, self.first(operation), exchange)
        return self.seen(exchange)

    def sized(self, operation: Operation, limit: int, number: int) -> dict[str, int]:
        """The parameters of a page, which may not be larger than the largest."""
        pagination = operation.pagination
        limit = min(limit, pagination.get("largest", limit))
        position = number if pagination["counts"] == "pages" else number * limit
        return {pagination["limit"]: limit, pagination["position"]: pagination.get("first", 0) + position}

    def probe_pages(self, operation: Operation, path: Params) -> None:
        """Pages of any size show the same items, and the same total; there is no item beyond the end."""
        largest = self.sized(operation, LARGEST, 0)
        first = self.ask_list(operation, path, largest)
        size = first.total or len(first.items)
        for limit, number in (*PAGES, (LARGEST, 1 + size // LARGEST)):
            page = self.sized(operation, limit, number)
            shown = self.ask_list(operation, path, page, is_owed=limit * number < size)
            if shown.is_success and pages_differ(first, shown):
                requests = [(operation, path, *placed(operation, given)) for given in (largest, page)]
                self._doubts.setdefault((operation, "pages"), (requests[0], requests[1], pages_differ))

    def probe_negative_limit(self, operation: Operation, path: Params) -> None:
        """A size of a page that is less than nothing is rejected, where the document has a least one."""
        name = operation.pagination["limit"]
        if operation.settings().get(name, {}).get("minimum", -1) < 0:
            return
        exchange = self.judge.send_with_retries(operation, path, *placed(operation, {name: -1}))
        of_request = (Kind.INVALID_PARAMETER, Kind.INVALID_REQUEST)
        found = [each for each in self.judge.check(operation, exchange) if each.kind not in of_request]
        self.judge.record(operation, exchange, found)
        if self.seen(exchange).shows_something:
            self.judge.report(operation, exchange, Kind.PAGE_SIZE, f"{name}=-1 is accepted")

    def probe_counts(self, operation: Operation, path: Params) -> None:
        """A number that counts a list is its total."""
        for place, id_ in operation.contract.get("counts", {}).items():
            listing = self.operations[operation.name, id_]

            def differ(counted: Seen, shown: Seen, place: str = place) -> str:
                said = whole(dig(counted.shown, place))
                is_same = None in (said, shown.total) or said == shown.total
                return "" if is_same else f"{place} is {said}, and {shown.operation.operation_id} has {shown.total}"

            if differ(self.ask_list(operation, path, {}), self.ask_list(listing, path, {})):
                requests = [(each, path, *placed(each, {})) for each in (operation, listing)]
                self._doubts[operation, place] = requests[0], requests[1], differ

    def probe_orders(self, operation: Operation, path: Params) -> None:
        """Every order that the document names; what a sort by text means is judged with care."""
        _, by, direction = operation.sorting
        if not direction:
            return
        schema = operation.settings().get(by, {})
        keys = schema.get("enum") or [schema.get("default")]
        page = {operation.pagination["limit"]: min(operation.pagination.get("largest", LARGEST), LARGEST)}
        for key in keys if by else [None]:
            for order in ("asc", "desc"):
                self.ask_list(operation, path, {**page, direction: order, **({by: key} if by else {})})

    def probe_filters(self, operation: Operation, path: Params, seen: Seen) -> None:
        """Conditions that something meets, and some that nothing meets."""
        page = {operation.pagination["limit"]: LARGEST} if operation.pagination else {}
        for name, rule in operation.contract.get("filters", {}).items():
            enum = operation.parameters("query").get(name, {}).get("schema", {}).get("enum", ())
            known = {str(value) for value in known_values(seen, rule.get("member", "")) or ()}
            for given, wanted in conditions(name, rule, seen.entries, enum, known):
                self.probe_filter(operation, path, {**page, **given}, wanted, rule)

    def probe_filter(self, operation: Operation, path: Params, given: Params, wanted: Any, rule: Params) -> None:
        """A condition that an item meets finds it; others may delete the item meanwhile, so it is looked up again."""
        for _ in range(AGAIN):
            found = self.ask_list(operation, path, given, is_owed=not any(SPECIAL in text for text in texts(given)))
            if wanted is None or not found.is_success or not operation.pagination:
                return
            id_ = item_id(operation, wanted)
            is_whole = found.total is None or found.total <= len(found.items)
            if id_ in {item_id(operation, item) for item in found.items} or not is_whole:
                return
            whole = self.ask_list(operation, path, self.sized(operation, LARGEST, 0))
            same = [item for item in whole.items if item_id(operation, item) == id_]
            members = rule.get("members", {"": rule.get("member", "")}).values()
            if not same or any(dig(same[0], member) != dig(wanted, member) for member in members):
                return
        text = ", ".join(f"{name}={value}" for name, value in given.items())
        self.judge.report(operation, found.exchange, Kind.FILTER, f"{text} does not find {id_}, which meets it")

    def ask_for_absent_things(self) -> None:
        """What does not exist is not shown."""
        for operation, successes in self.found.items():
            if operation.method != "GET" or not operation.path.endswith("}") or not self.is_tried(operation):
                continue
            path, exchange = successes[0]
            name = operation.path_names[-1]
            if "task" in name:
                continue
            is_number = "integer" in str(operation.parameters("path")[name].get("schema", {}).get("type", ""))
            absent = NOBODY if is_number else NO_UUID if len(str(path[name])) >= len(NO_UUID) - 4 else NO_TEXT
            asked = self.ask(operation, {**path, name: absent}, self.seen(exchange).query)
            if self.seen(asked).shows_something:
                self.judge.report(operation, asked, Kind.ABSENT, f"{name} {absent} does not exist, and is shown")

    def try_other_logins(self) -> None:
        """No login, one that is made up, has expired or was revoked, and another project are rejected."""
        service = self.judge.service
        if not service.tries_other_logins:
            return
        attempts: list[tuple[str, str, dict[str, Any]]] = [
            ("without a login", "", {}),
            ("with a made-up token", MADE_UP_TOKEN, {}),
            ("for another project", service.token, {"project_id": OTHER_PROJECT}),
        ]
        attempts += [(f"with a token that {what}", token, {}) for what, token in service.ended_tokens.items()]
        for operation, successes in self.found.items():
            if not operation.needs_login or not self.is_tried(operation) or service.trouble is not None:
                continue
            path, exchange = successes[0]
            seen = self.seen(exchange)
            for what, token, place in attempts:
                if place and "{project_id}" not in operation.path:
                    continue
                tried = self.judge.send_with_retries(operation, {**path, **place}, seen.query, seen.sent, token)
                findings = [each for each in self.judge.check(operation, tried) if tried.status >= 400]
                self.judge.record(operation, tried, findings)
                if 200 <= tried.status < 300:
                    self.judge.report(operation, tried, Kind.SECURITY, f"a request {what} succeeds")


def is_owed(operation: Operation, origin: Operation | None, exchange: Exchange) -> bool:
    """Whether a success is certain, unless what a response of the origin has led to is gone meanwhile.

    That is so for a list that needs nothing, for each thing of a list, and where a rejection says that the thing which
    the origin shows does not exist; a job without a log, or one that searches nothing, may be rejected.
    """
    if origin is None or exchange.status == UNAUTHORIZED:
        return True
    is_thing = operation in [each for _, each in stored_links(origin, 200)] and bool(origin.pagination)
    code = code_of(exchange)
    return is_thing or (code in NOT_FOUND and code in documented_codes(origin))


def rejection(exchange: Exchange) -> str:
    """The status of a rejection, and its code."""
    return f"status {exchange.status} {code_of(exchange)}".strip()


def documented_codes(operation: Operation) -> set[str]:
    """The error codes of an operation."""
    found = (operation.response(int(status)) for status in operation.definition["responses"] if status.isdigit())
    return {code for response in found for code in (response or {}).get("x-error-codes", ())}


def state(seen: Seen) -> tuple[Any, ...]:
    """What a list shows: its total, the ids of its items, and the numbers beside them."""
    numbers = seen.shown.items() if isinstance(seen.shown, dict) else ()
    ids = [item_id(seen.operation, item) for item in seen.items]
    return seen.total, ids, {name: value for name, value in numbers if isinstance(value, int)}


def required(operation: Operation) -> set[str]:
    """The parameters of query and headers that a request must have."""
    found = {**operation.parameters("query"), **operation.parameters("header")}
    return {name for name, parameter in found.items() if parameter.get("required") and name != SUBJECT}


def placed(operation: Operation, given: Params) -> tuple[Params, Any]:
    """Parameters of a list as the query and the body of its request."""
    query = {name: value for name, value in given.items() if name in operation.parameters("query")}
    body = {name: value for name, value in given.items() if name not in query}
    return query, body if operation.body_schema() is not None else None


def is_beside(each: Operation, operation: Operation, path: Params) -> bool:
    """Whether an operation is about the same thing as another one, and needs to know nothing else."""
    is_of_thing = bool(path) and each.name == operation.name and set(each.path_names) == set(path)
    return is_of_thing and each != operation and not required(each)


def unlike(seen: Seen, parameters: Params) -> list[int]:
    """The numbers of the items to which a link can lead, each before others that show less that is new."""
    texts = [str(text) for text in parameters.values() if re.search(r"#.*/0(/|$)", str(text))]
    if not texts:
        return [0]
    listed = at(seen.shown, re.split(r"/0(?:/|$)", texts[0].partition("#")[2])[0])
    ahead = {number: traits(item) for number, item in enumerate(listed[:LARGEST] if isinstance(listed, list) else ())}
    found: list[int] = []
    known: set[tuple[str, object]] = set()
    while ahead:
        number = max(ahead, key=lambda each: len(ahead[each] - known))
        found.append(number)
        known |= ahead.pop(number)
    return found


def traits(item: Any, place: str = "") -> set[tuple[str, object]]:
    """What makes an item unlike others: its phase, the members that have values, and which have several."""
    if isinstance(item, dict):
        inner = [traits(value, f"{place}.{name}") for name, value in item.items() if value not in (None, "", [], {}, 0)]
        return set().union(*inner)
    if isinstance(item, list):
        return {(place, len(item) > 1)}.union(*(traits(value, place) for value in item[:1]))
    is_telling = place.endswith(("phase", ".status")) or (place.endswith("count") and item != 1)
    return {(place, item if is_telling else None)}
