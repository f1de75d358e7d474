"""Make one document of the files of one of ours.

Its operations need names, and get the addresses of their pages.

    python scripts/bundle.py openapi/v2/openapi.yaml    # prints the bundled document as JSON
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from modelarts_documents.files import Bundle, DocumentError
from modelarts_documents.files import bundle as bundle_files
from modelarts_documents.schema import operations
from modelarts_documents.versions import make_3_1


def bundle(file: Path) -> Bundle:
    """The document whose root file is named, in the words of OpenAPI 3.1.

    Raises `DocumentError`, also if two components have one name.
    """
    bundled = bundle_files(file, rename=False)
    make_3_1(bundled.document)
    seen: dict[str, tuple[str, str, str]] = {}
    for path, method, _, operation in operations(bundled.document):
        way = ("paths", path, method)
        name = str(operation.get("operationId") or "")
        if not name:
            raise bundled.error(way, f"{method.upper()} {path} has no operationId: give it a name")
        if name in seen:
            raise bundled.error(way, f"the operationId `{name}` is taken by {bundled.location(seen[name])}")
        seen[name] = way
        link_pages(bundled, way, operation)
    return bundled


def link_pages(bundled: Bundle, way: tuple[str, ...], operation: dict[str, Any]) -> None:
    """Give the operation the addresses of its pages (`x-pages`), the first as `externalDocs`, too."""
    patterns, pages = bundled.document.get("x-page-addresses", {}), operation.get("x-pages", {})
    if not all(
        isinstance(each, dict) and all(isinstance(text, str) for text in each.values()) for each in (patterns, pages)
    ):
        raise bundled.error(way, "`x-pages` and `x-page-addresses` have a text for each cloud")
    for cloud, page in pages.items():
        if not page.startswith("https://"):
            if cloud not in patterns:
                raise bundled.error(way, f"`x-page-addresses` has no address for pages of {cloud}")
            pages[cloud] = patterns[cloud].replace("{page}", page)
        operation.setdefault("externalDocs", {"url": pages[cloud]})


def main() -> int:
    parser = argparse.ArgumentParser(description="Make one JSON document of an OpenAPI document of many files.")
    parser.add_argument("document", type=Path, help="the root file, such as openapi/v2/openapi.yaml")
    try:
        document = bundle(parser.parse_args().document).document
    except DocumentError as error:
        sys.exit(str(error))
    print(json.dumps(document, indent=2, ensure_ascii=False))
    return 0


if __name__ == "__main__":
    sys.exit(main())
