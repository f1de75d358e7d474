"""JSON objects, headers and queries with a secret under any of its names, for tests that look for it."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from modelarts_openapi.secrets import NAMES

MARK = "S3cr3t"
"""Begins every secret, and is in no text that may be shown."""

SECRETS = st.text(st.sampled_from("aß7 '\"\\&=?,)}]%\n"), max_size=8).map(lambda rest: f"{MARK}{rest}")
HEADER_SECRETS = st.text(st.sampled_from("a7 '\"\\&=?,)}]"), max_size=8).map(lambda rest: f"{MARK}{rest}.")


@st.composite
def spellings(draw: st.DrawFn, name: str, separators: str = "_- ") -> str:
    """A name as somebody may write it: with another word before it, in another case, with other separators."""
    cut = draw(st.integers(0, len(name)))
    spelt = draw(st.sampled_from(["", "my", "db"])) + draw(st.sampled_from(separators)) + name[:cut]
    spelt += draw(st.sampled_from(["", *separators])) + name[cut:] + draw(st.sampled_from(["", "2"]))
    return draw(st.sampled_from([spelt, spelt.upper(), spelt.title(), name]))


@st.composite
def objects(draw: st.DrawFn, secrets: st.SearchStrategy[str] = SECRETS) -> dict[str, Any]:
    """An object with a secret somewhere in it, and texts that may be shown."""
    *holders, name = draw(st.sampled_from(NAMES)).split(".")
    value: Any = draw(secrets)
    for _ in range(draw(st.integers(0, 2))):
        value = [value, draw(secrets)]
    found = {"first": "seen", name if holders else draw(spellings(name)): value, "last": "seen"}
    for holder in holders:
        found = {"seen": ["seen"], draw(spellings(holder)): found}
    for around in draw(st.lists(st.sampled_from(["list", "object", "metadata", "entries"]), max_size=5)):
        found = {"status": "seen", around: [found, "seen"] if around in ("list", "entries") else found, "id": "seen"}
    return found


def names(separators: str) -> st.SearchStrategy[str]:
    """A name of a header or a parameter with a secret."""
    known = st.sampled_from([name for name in NAMES if "." not in name])
    return known.flatmap(lambda name: spellings(name, separators))
