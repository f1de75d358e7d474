"""Access: who sends a request, by its token or by its signature, and whether it may enter the project of the path."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from starlette.datastructures import Headers
from starlette.types import Scope

from modelarts_emulator.http import signatures
from modelarts_emulator.http.access_keys import AccessKeys
from modelarts_emulator.http.errors import Problem, ServiceError
from modelarts_emulator.http.tokens import Tokens
from modelarts_emulator.settings.accounts import Accounts, Identity

__all__ = ["Access", "is_signed"]


def is_signed(headers: Headers) -> bool:
    """Whether the request has a signature in place of a token; a token goes first."""
    return not headers.get("x-auth-token") and "authorization" in headers


@dataclass(frozen=True, slots=True)
class Access:
    """Who may call: the accounts, and the tokens and keys that say who calls; `clock` is in Unix seconds."""

    accounts: Accounts
    tokens: Tokens
    keys: AccessKeys
    clock: Callable[[], float]

    def check(self, scope: Scope, headers: Headers, body: bytes) -> tuple[Identity, ...]:
        """The identities of the user who calls; in a project's path, those in this project. Raises ServiceError.

        Only of a signed request the body is looked at.
        """
        path: Mapping[str, str] = scope["path_params"]
        check = self._check_signature if is_signed(headers) else self._check_token
        identities = check(scope, headers, path.get("project_id"), body)
        wanted = path.get("project_id")
        return identities if wanted is None else tuple(entry for entry in identities if entry.project_id == wanted)

    def _check_token(self, _scope: Scope, headers: Headers, wanted: str | None, _body: bytes) -> tuple[Identity, ...]:
        grant = self.tokens.read(headers.get("x-auth-token", ""))
        if wanted is not None:
            if grant.project_id is None:
                raise ServiceError(Problem.TOKEN_WITHOUT_PROJECT, "The token is for an account, not for a project.")
            if wanted != grant.project_id:
                message = f"The project in the path ({wanted}) is not the one of the token ({grant.project_id})."
                raise ServiceError(Problem.PROJECT_NOT_FOUND, message)
        identities = self.accounts.of_user(grant.user_id)
        if not any(grant.project_id in (None, entry.project_id) for entry in identities):
            raise ServiceError(Problem.TOKEN_INVALID, "The token's user is not known any more.")
        return identities

    def _check_signature(self, scope: Scope, headers: Headers, wanted: str | None, body: bytes) -> tuple[Identity, ...]:
        signature = signatures.parse(headers["authorization"])
        key = self.keys.find(signature.access_key, headers.get("x-security-token"))
        request = signatures.Request(
            scope["method"],
            (scope.get("raw_path") or scope["path"].encode()).decode("latin-1"),
            scope["query_string"].decode("latin-1"),
            [(name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]],
            body,
        )
        # Clients sign by the time of their machine, or by that of the responses, which may be simulated.
        signatures.verify(request, signature, key.secret_key, (time.time(), self.clock()))
        project, domain = headers.get("x-project-id"), headers.get("x-domain-id")
        if domain not in (None, key.identities[0].domain_id):
            raise ServiceError(Problem.SIGNATURE_INVALID, "X-Domain-Id is not the account of the access key.")
        own = {entry.project_id for entry in key.identities}
        if project is not None and project not in own:
            message = f"The project in X-Project-Id ({project}) is not one of the access key's user."
            raise ServiceError(Problem.PROJECT_NOT_FOUND, message)
        if wanted is not None and (wanted not in own or project not in (None, wanted)):
            message = (
                f"The project in the path ({wanted}) is not the one of the signature ({project or 'any of its own'})."
            )
            raise ServiceError(Problem.PROJECT_NOT_FOUND, message)
        return key.identities
