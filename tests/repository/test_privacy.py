"""The tree betrays nothing: no credentials, no path of a machine, no address of a package index."""

from __future__ import annotations

import re
from pathlib import Path

INDEX_HOSTS = [
    ".".join(parts)
    for parts in (
        ("pypi", "org"),
        ("pythonhosted", "org"),
        ("npmjs", "org"),
        ("npmjs", "com"),
        ("crates", "io"),
        ("proxy", "golang", "org"),
        ("docker", "io"),
        ("ghcr", "io"),
        ("conda", "anaconda", "org"),
    )
]
INDEX_OPTIONS = re.compile(r"^\s*(--(extra-)?index-url|-i|--find-links|-f|--trusted-host)\b", re.MULTILINE)
SECRETS = {
    "private key": re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----"),
    "cloud access key": re.compile(r"\b(AKIA|ASIA)(?!\w*EXAMPLE\b)[0-9A-Z]{16}\b"),
    "source host token": re.compile(r"\bgh[pousr]_[A-Za-z0-9]{30,}\b|\bglpat-[\w-]{20,}"),
    "JSON web token": re.compile(r"\beyJ[\w-]{20,}\.eyJ[\w-]{20,}\.[\w-]{10,}"),
    "IAM token": re.compile(r"\bMII[A-Za-z0-9+/-]{60,}"),
    "password in a URL": re.compile(r"\w+://[^/\s:@'\"{}$<]+:[^/\s:@'\"{}$<]+@(?![\w.]*\bexample\.)[\w.]+"),
}
# The home folders of training containers are facts of the service.
HOMES = re.compile(r"(?<![\w.:/*-])/(?:root|Users/\w+|home/(?!ma-user\b|work\b)\w+)/")


def offences(texts: dict[Path, str], pattern: re.Pattern[str]) -> list[str]:
    return [f"{file}: {match.group()[:40]}" for file, text in texts.items() for match in pattern.finditer(text)]


def test_no_secret_is_committed(texts: dict[Path, str]) -> None:
    found = {what: offences(texts, pattern) for what, pattern in SECRETS.items()}

    assert {what: where for what, where in found.items() if where} == {}


def test_no_package_index_is_named(texts: dict[Path, str]) -> None:
    hosts = re.compile("|".join(re.escape(host) for host in INDEX_HOSTS))

    assert offences(texts, hosts) == []


BUILT_FOR_A_MACHINE = {"pytorch.txt"}  # every platform and accelerator has a build of its own


def test_requirements_name_no_index_and_pin_every_package_by_hash(texts: dict[Path, str]) -> None:
    for file, text in texts.items():
        if file.parts[0] == "requirements" and file.suffix == ".txt":
            entries = [line for line in text.splitlines() if re.match(r"[A-Za-z0-9]", line)]
            joined = re.sub(r"\\\n", " ", text)
            pin = r"[A-Za-z0-9].*==" if file.name in BUILT_FOR_A_MACHINE else r"[A-Za-z0-9].*==.*--hash=sha256:"
            pinned = [line for line in joined.splitlines() if re.match(pin, line)]

            assert INDEX_OPTIONS.findall(text) == []
            assert len(pinned) == len(entries) > 0, file


def test_no_path_of_a_machine_is_written_down(texts: dict[Path, str], root: Path) -> None:
    here = re.compile(re.escape(str(root)) + r"\b")

    assert offences(texts, HOMES) + offences(texts, here) == []
