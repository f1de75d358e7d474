"""Judges the exchanges of a session in their order: by the documents, and by the rules about their meaning.

Each rule is a function of what was seen in one exchange and of the memory of the session. What it needs to know are
extensions of the documents (`x-pagination`, links, `x-time-unit`) and, in the overlays, `filters` and `sorted-by`.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import replace
from math import inf
from urllib.parse import urlsplit

from modelarts_contract.documents import Documents
from modelarts_contract.exchange import Exchange
from modelarts_contract.finding import Finding, Kind
from modelarts_contract.rules import facts, lists, responses, stored
from modelarts_contract.rules.memory import CLOCK_MS, DELETION_S, LAG_S, Memory
from modelarts_contract.seen import Seen, dig, parsed
from modelarts_contract.validation import FIRST_TIME_S, findings, in_form
from modelarts_openapi.error_codes import ERROR_CODES

__all__ = ["OF_STATUS", "TEMPORARY", "Session", "code_of", "is_unavailable", "judged"]

INVALID = frozenset({Kind.INVALID_PARAMETER, Kind.INVALID_REQUEST, Kind.INVALID_RESPONSE})
OF_STATUS = frozenset({Kind.UNKNOWN_CODE, Kind.UNKNOWN_STATUS})  # no findings where an operation is not available
FULL = ("quota", "exceed", "reached", "reaches", "too many", "insufficient", "frozen", "not have the permission")
TEMPORARY = frozenset({429, 502, 503, 504})  # statuses that say how the service was, and not what it was asked

Rule = Callable[[Seen, Memory], Iterator[Finding]]


class Session:
    """Judges the exchanges of one session in their order; `secrets` must not be in any error."""

    def __init__(
        self,
        documents: Documents,
        secrets: Iterable[str] = (),
        *,
        lag_s: float = LAG_S,
        deletion_s: float = DELETION_S,
    ) -> None:
        self.documents = documents
        self.rules = RULES
        self.secrets = [secret for secret in secrets if len(secret) >= 6]
        self.memory = Memory(lag_s, deletion_s)
        self.date_ms = FIRST_TIME_S * 1000.0  # the latest Date

    def see(self, exchange: Exchange, *, rejected_requests: bool = False) -> list[Finding]:
        """What is wrong with the exchange or new in it, by the documents and by the rules."""
        seen = Seen.of(exchange, self.documents)
        if seen is None:
            return list(findings(exchange, self.documents))
        exchange = seen.exchange
        is_known = exchange.has_body and exchange.has_request_body and exchange.status not in (0, *TEMPORARY)
        if seen.operation.kind in ("create", "change") and not is_known:  # nobody knows what it has done
            self.memory = Memory(self.memory.lag_s, self.memory.deletion_s)
        if exchange.status in TEMPORARY or (exchange.status == 501 and not seen.operation.is_emulated):
            return []
        found = list(in_form(seen, rejected_requests=rejected_requests))
        if is_unavailable(exchange):
            found = [each for each in found if each.kind not in OF_STATUS]
        if not exchange.status or not exchange.has_body:
            return found
        is_valid = not any(each.kind in INVALID for each in found)
        lacking = facts.may_lack(seen) if found else set()
        found = [replace(each, kind=Kind.MISSING_FIELD) if each.where in lacking else each for each in found]
        for rule in self.rules:
            found += applied(rule, seen, self.memory, is_valid=is_valid)
        text = exchange.response_body.decode("utf-8", "replace")
        if exchange.status >= 400 and any(secret in text for secret in self.secrets):
            found.append(Finding.of(seen, Kind.LEAK, "the error shows a secret of this session"))
        is_wrong = self.has_wrong_clock(seen.date_ms)
        return each_time_once(each for each in found if each.kind is not Kind.TIME or not is_wrong)

    def has_wrong_clock(self, date_ms: float | None) -> bool:
        """Whether the clock of the service is before 2010 or was set back, so that times say nothing from then on."""
        if date_ms is not None:
            self.date_ms = max(self.date_ms, date_ms) if date_ms > self.date_ms - CLOCK_MS else inf
        return self.date_ms == inf

    def forget_pages(self) -> None:
        """Begin to compare pages anew."""
        self.memory.pages.clear()


def is_unavailable(exchange: Exchange) -> bool:
    """Whether the account may not make the request, the API is not published here, or a quota is used up."""
    known = ERROR_CODES.get(code := code_of(exchange))  # whose text may be in any language
    text = exchange.response_body.decode("utf-8", "replace").casefold()
    text += f" {known.meaning} {known.text}".casefold() if known else ""
    is_full = exchange.status in (400, 403, 409) and any(word in text for word in FULL)
    return exchange.status == 403 or code.startswith("APIG.01") or is_full


def code_of(exchange: Exchange) -> str:
    """The error code of a rejection; empty if it has none."""
    return str(dig(parsed(exchange.response_body), "error_code") or "") if exchange.status >= 400 else ""


def judged(
    exchanges: Iterable[Exchange],
    documents: Documents,
    *,
    rejected_requests: bool = False,
    never_late: Container[str] = (),
    lag_s: float = LAG_S,
    deletion_s: float = DELETION_S,
) -> Iterator[tuple[Exchange, list[Finding]]]:
    """Judge exchanges in their order, those with each host as a session of its own; hosts can be `never_late`."""
    sessions: dict[str, Session] = {}
    for exchange in exchanges:
        host = urlsplit(exchange.url).netloc
        if host not in sessions:
            lag, deletion = (0.0, 0.0) if host in never_late else (lag_s, deletion_s)
            sessions[host] = Session(documents, lag_s=lag, deletion_s=deletion)
        session = sessions[host]
        yield exchange, session.see(exchange, rejected_requests=rejected_requests)


def applied(rule: Rule, seen: Seen, memory: Memory, *, is_valid: bool) -> Iterator[Finding]:
    """What the rule finds; that it raises is a finding, unless the exchange is not valid, which is one already."""
    try:
        yield from rule(seen, memory)
    except Exception as error:
        if is_valid:
            message = f"the rule {rule.__name__} fails for {seen.operation.operation_id} with {type(error).__name__}"
            lines = "".join(traceback.format_exception(error)).strip()
            yield Finding.of(seen, Kind.RULE_FAILED, f"{message}: report this defect, with the traceback\n{lines}")


def each_time_once(found: Iterable[Finding]) -> list[Finding]:
    """The findings, of those about one time the first: a wrong time does not fit to several others."""
    first: dict[object, Finding] = {}
    for each in found:
        time = each.where.rpartition(".")[2] if each.kind is Kind.TIME else ""
        first.setdefault(time or len(first), each)
    return list(first.values())


RULES: tuple[Rule, ...] = (*responses.RULES, *facts.RULES, *lists.RULES, *stored.RULES)
