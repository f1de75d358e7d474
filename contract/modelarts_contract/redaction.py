"""Removes secrets, ids, names, paths of objects and log lines from exchanges, before they are kept.

A text is kept only if it is published, a number, or a time: values that the documents list, and identifiers of their
words, such as names of flavors and engines. Values of parameters and variables can be anything, so only numbers of
them are kept, of commands and descriptions nothing. Everything else is replaced; types, numbers and names of documented
fields stay, and so do the published words in texts of errors.

The same id, name or description becomes the same replacement everywhere in a recording, so that responses still fit to
requests; the replacements of another recording are others, because the key is random.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import hmac
import json
import re
import secrets
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

import modelarts_openapi
from modelarts_contract.documents import Documents
from modelarts_contract.exchange import Exchange, within
from modelarts_documents.keys import objects
from modelarts_documents.schema import Node, graph, json_schema
from modelarts_documents.secrets import is_suspicious
from modelarts_openapi.error_codes import ERROR_CODES

__all__ = ["IDS", "REDACTED", "Redaction", "is_replaced"]

REDACTED = "REDACTED"
REPLACED = re.compile(rf"{REDACTED}|(name|text)[-_][0-9a-f]{{8}}")
IDS = re.compile(r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b|\b[0-9a-f]{32}\b", re.IGNORECASE)
# Can be anything: nothing of their texts is kept. Of what clients write, equal texts have equal replacements.
LOG_FIELDS = frozenset({"content", "context"})
TEXT_FIELDS = frozenset({"description", "job_desc", "version_desc", "config_desc", "command", "user_command", "regex"})
# Names of people, accounts and things; `name` is one only inside these objects.
NAME_FIELDS = frozenset(
    {
        *("user_name", "create_user", "username", "domain_name", "project_name"),
        *("job_name", "version_name", "config_name", "search_content"),
    }
)
NAMED_OBJECTS = frozenset({"metadata", "user", "domain", "project"})
ERROR_FIELDS = frozenset({"error_msg", "error_message", "error_solution", "message"})  # can quote the request
NUMBER = re.compile(r"[-+]?\d{1,15}(\.\d{1,15})?(e[-+]?\d{1,3})?%?|true|false", re.IGNORECASE)
TIME = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:?\d\d)?)?")
NEW_VALUE = re.compile(r"([A-Z][a-z]+){1,4}|[a-z]+(_[a-z]+)*")  # of a field that may get values later
CODE = re.compile(r"[A-Za-z]{2,12}\.\d{3,8}")
EXTENSION = re.compile(r"\.(py|sh|txt|log|json|ya?ml|csv|zip|tar|gz|pth?|ckpt|h5|npy)$")  # the service looks at it
COUNT = re.compile(r"v?\d{1,4}[.]?")  # in a sentence
TOKEN = re.compile(r"[^\s,:;=/'\"()<>\[\]{}|&?!@#`]+")
QUOTED = re.compile(r"""(['"])((?:\\.|(?!\1).)*)(\1|(?= \.\.\.))""", re.DOTALL)  # or cut off
TYPES = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})
SHORTEST = 4  # characters of a word that is replaced outside quotes, too
# Headers whose values have a form; of all others nothing is kept.
HEADERS: dict[str, re.Pattern[str]] = {
    "content-type": re.compile(r"(application|text)/[a-z.+-]+(; ?charset=[a-z]+-?\d*)?", re.IGNORECASE),
    "retry-after": re.compile(r"\d{1,6}"),
    "date": re.compile(r"[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT"),
}


def is_replaced(value: Any) -> bool:
    """Whether a text, or a part of it, was replaced in a recording, so that it has another order and other parts."""
    return isinstance(value, str) and bool(REPLACED.search(value))


class Redaction:
    """Replaces what identifies somebody or something, consistently for all exchanges that it is given."""

    def __init__(self) -> None:
        self._key = secrets.token_bytes(32)
        self._documents = Documents()
        self._known = vocabulary()
        self._names: set[str] = set()  # also replaced in sentences, where they are published words
        self._replaced: dict[str, str] = {}  # by texts of exchanges
        self._made: set[str] = set()  # what stands for them

    def __call__(self, exchange: Exchange) -> Exchange:
        """The exchange without secrets, ids, names, paths of objects, descriptions and log lines."""
        request_body = self._body(exchange.request_body)  # first, because the others can quote its names
        return replace(
            exchange,
            url=self._url(exchange.method, exchange.url),
            request_headers=self._headers(exchange.request_headers),
            request_body=request_body,
            response_headers=self._headers(exchange.response_headers),
            response_body=self._body(exchange.response_body),
        )

    def sentence(self, text: str) -> str:
        """A sentence about exchanges that were redacted before, with the same words in place of theirs.

        What stands within quotes is replaced even if no exchange has it; published words stay.
        """
        words = [word for word in self._replaced if word in text and self._is_name(word)]
        for word in sorted(words, key=len, reverse=True):
            text = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", lambda found: self._replaced[found[0]], text)
        text = QUOTED.sub(lambda found: found[1] + self._quoted(found) + found[3], text)
        return IDS.sub(lambda found: found[0] if found[0] in self._made else self._id(found[0]), text)

    def published(self, text: str) -> str:
        """A sentence with no other words than published ones, short numbers, and those that stand for others."""
        kept = re.compile(rf"{COUNT.pattern}|{REPLACED.pattern}")
        return TOKEN.sub(
            lambda found: found[0] if kept.fullmatch(found[0]) or found[0] in self._made else self._word(found[0]), text
        )

    def _quoted(self, found: re.Match[str]) -> str:
        text = found[2]
        with contextlib.suppress(ValueError, SyntaxError):
            text = str(json.loads(found[0]) if found[1] == '"' else ast.literal_eval(found[0]))
        if text in TYPES or text in self._made or HEADERS["content-type"].fullmatch(text):
            return text
        return self._replaced.get(text) or self._text(text, "", "")

    def _is_name(self, word: str) -> bool:
        """Whether a word of an exchange stands for itself in a sentence, too: it is no ordinary word, nor short."""
        return len(word) >= SHORTEST and word.lower() not in self._known.prose

    def _replacement(self, text: str, name: str, parent: str) -> str:
        shown = self._text(text, name, parent)
        if shown != text:
            self._replaced[text] = shown
            self._made.add(shown)
        return shown

    def _url(self, method: str, url: str) -> str:
        parts = urlsplit(url)
        found = self._documents.find(method, parts.path)
        if found is None:
            known = self._known.segments
            path = re.sub(r"[^/]+", lambda each: each[0] if each[0] in known else self._token(each[0]), parts.path)
        else:
            operation, values = found
            path = operation.url_path({name: self._replacement(value, name, "") for name, value in values.items()})
        pairs = [
            (self._field(name), self._replacement(value, name, ""))
            for name, value in parse_qsl(parts.query, keep_blank_values=True)
        ]
        host = parts.netloc.rpartition("@")[2]
        return urlunsplit((parts.scheme, host, path, urlencode(pairs, quote_via=quote), ""))

    def _headers(self, headers: Mapping[str, str]) -> dict[str, str]:
        return {
            name: value if (form := HEADERS.get(name.lower())) and form.fullmatch(value) else REDACTED
            for name, value in headers.items()
        }

    def _body(self, body: bytes) -> bytes:
        try:
            return json.dumps(self._value(json.loads(body), "", ""), ensure_ascii=False).encode() if body else body
        except (ValueError, RecursionError):
            return REDACTED.encode()  # nobody can say what another format holds

    def _value(self, value: Any, name: str, parent: str) -> Any:
        """The value of a field, or of an entry of a list in it; `parent` is the field that has the object around it."""
        if isinstance(value, dict):
            # A filter has the name of a field, a parameter or a tag any name, which can say that its value is secret.
            named = next((str(value[key]) for key in ("name", "label", "key") if key in value), "")
            is_field = "operator" in value or is_suspicious(named) or named in NAME_FIELDS
            inner = "job_name" if named == "name" else named
            return {
                self._field(key): self._value(child, inner if key == "value" and is_field else key, name)
                for key, child in value.items()
            }
        if isinstance(value, list):
            return [self._value(child, name, parent) for child in value]
        if isinstance(value, str):
            return self._replacement(value, name, parent) if value else value
        is_secret = is_suspicious(name) and not isinstance(value, bool)
        return 0 if (is_secret or parent in self._known.maps) and value is not None else value

    def _text(self, text: str, name: str, parent: str) -> str:
        if text in self._known.values.get(name, ()):
            return text
        if name in LOG_FIELDS or is_suspicious(name):
            return REDACTED
        if name in TEXT_FIELDS:
            return self._other_text(text)
        if name in NAME_FIELDS or (name == "name" and parent in NAMED_OBJECTS):
            self._names.add(text)
            return self._name(text)
        if parent in self._known.maps:
            return self._name(text)
        is_new_value = name in self._known.open_fields and NEW_VALUE.fullmatch(text)
        is_new_value = is_new_value or (name == "error_code" and CODE.fullmatch(text))
        if is_new_value or NUMBER.fullmatch(text) or TIME.fullmatch(text):
            return text
        if name in ERROR_FIELDS:
            return TOKEN.sub(lambda found: self._word(found[0]), text)
        if "/" in text:
            scheme = re.match(r"(https?|obs|s3)://", text)
            start = scheme.end() if scheme else 0
            return text[:start] + TOKEN.sub(lambda found: self._segment(found[0]), text[start:])
        if name == "value":
            return self._other_text(text)
        return TOKEN.sub(lambda found: self._token(found[0], is_named=name in CATALOGUE), text)

    def _field(self, name: str) -> str:
        """The name of a field, a parameter or a variable of an environment."""
        is_known = name in self._known.fields or self._known.knows(name)
        if not is_known:
            self._replaced[name] = self._name(name).replace("-", "_")
            self._made.add(self._replaced[name])
        return self._replaced[name] if not is_known else name

    def _word(self, word: str) -> str:
        """A word of a sentence, with the full stop."""
        bare = word.rstrip(".")
        is_prose = bare.lower() in self._known.prose and bare not in self._names
        return word if is_prose else self._token(bare) + word[len(bare) :]

    def _token(self, text: str, *, is_named: bool = False) -> str:
        """An identifier: published words stay unless they are a name, ids are replaced.

        Numbers beside the words stay in names of engines and flavors (`is_named`): elsewhere, they can be a password's.
        """
        if text in self._made:
            return text
        if text in self._names:
            return self._name(text)
        replaced = IDS.sub(lambda found: self._id(found[0]), text)
        rest = IDS.sub("", text).strip("-_.")
        return replaced if not rest or self._known.knows(rest, has_numbers=is_named) else self._name(text)

    def _segment(self, name: str) -> str:
        """A bucket, a folder or a file; extensions of files stay."""
        extension = EXTENSION.search(name)
        return self._name(name) + (extension[0] if extension else "")

    def _id(self, known: str) -> str:
        """Another id of the same form."""
        digits = iter(self._digest(known.lower()))
        return re.sub(r"[0-9a-f]", lambda _: next(digits), known, flags=re.IGNORECASE)

    def _name(self, known: str) -> str:
        """Another name; an id that is one stays an id."""
        return self._id(known) if IDS.fullmatch(known) else f"name-{self._digest(known)[:8]}"

    def _other_text(self, text: str) -> str:
        """Another text; slashes at its ends make no difference, as for whoever compares what is written and shown."""
        return f"text-{self._digest(text.strip('/'))[:8]}"

    def _digest(self, text: str) -> str:
        return hmac.new(self._key, text.encode(errors="surrogatepass"), hashlib.sha256).hexdigest()


# Fields whose examples name engines, flavors and products: their words are also published.
CATALOGUE = frozenset(
    {"engine_id", "engine_name", "engine_version", "flavor_id", "flavor_name", "spec_code", "product_name"}
)
# Fields that hold published words in some objects, and names of people or things in others.
PUBLISHED_NAMES = frozenset({"name", "key", "id"})
MESSAGE_WORDS = """
a about after again all already also an and any are as at be because been before but by can cannot check contact could
denied did do does done error every exceeded exist exists expected expired failed find fit for found from had has have
if in incorrect internal into invalid is issue issued it its later malformed match maximum may minimum missing must no
not of on one only or other out permission please rejected retry same should so some such supported than that the their
then there these they this those to try unknown unsupported until used valid value was were when where which while who
with without wrong you your
"""  # of error texts, beside those that are published
WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
SHORT_NUMBER = re.compile(r"[a-z]?\d{1,4}[a-z]?", re.IGNORECASE)  # in names of versions and sizes: 1, v2, p100, 8u
AROUND = re.compile(r"^\d{1,2}|\d{1,4}$")  # numbers at a word: python3, 4xlarge
SEPARATOR = re.compile(r"[-_.()]+")


class Vocabulary:
    """Facts of the documents: `values` of fields (`open_fields` may get more), `maps`, names and words."""

    def __init__(self) -> None:
        self.values: defaultdict[str, set[str]] = defaultdict(set)
        self.open_fields: set[str] = set()
        self.fields: set[str] = set()
        self.maps = {"labels"}  # and those of the documents: their names are the client's, their values anything
        self.words: set[str] = set()
        self.segments: set[str] = set()  # of paths
        published = " ".join(f"{code.text} {code.meaning} {code.remedy}" for code in ERROR_CODES.values())
        self.prose: set[str] = set(re.findall(r"[a-z]+", (MESSAGE_WORDS + published).lower()))
        for name in modelarts_openapi.NAMES:
            document = modelarts_openapi.load(name)
            for path in document["paths"]:
                self._add_words(re.sub(r"\{\w+\}", "", path))
                self.segments |= {segment for segment in path.split("/") if "{" not in segment}
            for pointer, kind, part in objects(document):
                self._add(part)
                is_field = kind == "schemas" and pointer[-2] == "properties"
                field = pointer[-1] if is_field else str(part.get("name", "")) if kind == "parameters" else ""
                schema = part if is_field else part.get("schema", json_schema(part))
                for node in graph(document, (pointer, schema or {})) if field else ():
                    self._add_field(field, node)
        for field in self.fields:
            self._add_words(field)
        for values in self.values.values():
            self._add_words(" ".join(values))

    def _add_field(self, field: str, node: Node) -> None:
        """Add what a schema of the field says about it, which is not one of a member of the field."""
        self.fields.add(field)
        if node.members:
            return
        if isinstance(node.schema.get("additionalProperties"), dict):
            self.maps.add(field)
        known = node.schema.get("x-known-values", ())
        if known and field not in PUBLISHED_NAMES:
            self.open_fields.add(field)
        values = [*node.schema.get("enum", ()), *known, node.schema.get("const")]
        self.values[field].update(value for value in values if isinstance(value, str))

    def _add(self, part: Mapping[str, Any]) -> None:
        """Add the words of this part of a document."""
        self.values["error_code"].update(part.get("x-error-codes", ()))
        for name, value in within([part.get("example"), part.get("examples")]):
            if name in CATALOGUE and isinstance(value, str):
                self._add_words(value)
        self._add_words(str(part.get("operationId", "")))
        self.prose.update(re.findall(r"[a-z]+", f"{part.get('description')} {part.get('summary')}".lower()))

    def knows(self, text: str, *, has_numbers: bool = False) -> bool:
        """Whether the text consists of published words, with at least one; short numbers beside them if it may."""
        parts = [part for part in SEPARATOR.split(text) if part]
        others = [part for part in parts if not SHORT_NUMBER.fullmatch(part)]
        known = others if has_numbers else [part for part in parts if part.lower() not in self.words]
        return bool(others) and all(self._is_word(part, has_numbers=has_numbers) for part in known)

    def _is_word(self, part: str, *, has_numbers: bool) -> bool:
        letters = AROUND.sub("", part) if has_numbers else part
        found = [letters.lower()] if letters.lower() in self.words else [word.lower() for word in WORD.findall(letters)]
        return "".join(found) == letters.lower() and all(
            word in self.words or word.removesuffix("s") in self.words for word in found
        )

    def _add_words(self, text: str) -> None:
        for part in re.findall(r"[A-Za-z0-9]+", text):
            self.words |= {part.lower(), *(found.lower() for found in WORD.findall(part) if len(found) > 1)}


@cache
def vocabulary() -> Vocabulary:
    """The vocabulary of all documents, read once."""
    return Vocabulary()
