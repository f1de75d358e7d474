# Generated from openapi/iam by scripts/generate.py; do not edit.
"""Every operation of the document, by tag."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from modelarts_runtime.client import Client

if TYPE_CHECKING:
    from .keys import AsyncKeys, Keys
    from .projects import AsyncProjects, Projects
    from .regions import AsyncRegions, Regions
    from .tokens import AsyncTokens, Tokens
    from .versions import AsyncVersions, Versions


class Api:
    """The operations, bound to a client; one attribute per tag, made on first use."""

    def __init__(self, client: Client) -> None:
        self.client = client

    @cached_property
    def versions(self) -> Versions:
        from .versions import Versions

        return Versions(self.client)

    @cached_property
    def tokens(self) -> Tokens:
        from .tokens import Tokens

        return Tokens(self.client)

    @cached_property
    def projects(self) -> Projects:
        from .projects import Projects

        return Projects(self.client)

    @cached_property
    def regions(self) -> Regions:
        from .regions import Regions

        return Regions(self.client)

    @cached_property
    def keys(self) -> Keys:
        from .keys import Keys

        return Keys(self.client)


class AsyncApi:
    """The operations as coroutines, bound to a client; one attribute per tag, made on first use."""

    def __init__(self, client: Client) -> None:
        self.client = client

    @cached_property
    def versions(self) -> AsyncVersions:
        from .versions import AsyncVersions

        return AsyncVersions(self.client)

    @cached_property
    def tokens(self) -> AsyncTokens:
        from .tokens import AsyncTokens

        return AsyncTokens(self.client)

    @cached_property
    def projects(self) -> AsyncProjects:
        from .projects import AsyncProjects

        return AsyncProjects(self.client)

    @cached_property
    def regions(self) -> AsyncRegions:
        from .regions import AsyncRegions

        return AsyncRegions(self.client)

    @cached_property
    def keys(self) -> AsyncKeys:
        from .keys import AsyncKeys

        return AsyncKeys(self.client)
