"""Bodies for the generated models, made from the schemas that the models were made from."""

from __future__ import annotations

import pytest
from tests.generated.bodies import Bodies

import modelarts_openapi


@pytest.fixture(scope="session")
def bodies() -> dict[str, Bodies]:
    """The strategies of a document, by its name."""
    return {name: Bodies(modelarts_openapi.load(name)) for name in modelarts_openapi.NAMES}
