# Generated from openapi/iam by scripts/generate.py; do not edit.
"""The models; each is loaded when it is first used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .auth_request import AuthRequest as AuthRequest
    from .auth_request import AuthRequestDict as AuthRequestDict
    from .catalog_endpoint import CatalogEndpoint as CatalogEndpoint
    from .catalog_service import CatalogService as CatalogService
    from .create_token_request import CreateTokenRequest as CreateTokenRequest
    from .create_token_request import CreateTokenRequestDict as CreateTokenRequestDict
    from .created_token import CreatedToken as CreatedToken
    from .domain_request import DomainRequest as DomainRequest
    from .domain_request import DomainRequestDict as DomainRequestDict
    from .error import Error as Error
    from .identity_error import IdentityError as IdentityError
    from .identity_error_detail import IdentityErrorDetail as IdentityErrorDetail
    from .identity_request import IdentityRequest as IdentityRequest
    from .identity_request import IdentityRequestDict as IdentityRequestDict
    from .identity_request_methods_item import IdentityRequestMethodsItem as IdentityRequestMethodsItem
    from .links import Links as Links
    from .password_request import PasswordRequest as PasswordRequest
    from .password_request import PasswordRequestDict as PasswordRequestDict
    from .project import Project as Project
    from .project_list import ProjectList as ProjectList
    from .project_request import ProjectRequest as ProjectRequest
    from .project_request import ProjectRequestDict as ProjectRequestDict
    from .scope_request import ScopeRequest as ScopeRequest
    from .scope_request import ScopeRequestDict as ScopeRequestDict
    from .token import Token as Token
    from .token_domain import TokenDomain as TokenDomain
    from .token_project import TokenProject as TokenProject
    from .token_role import TokenRole as TokenRole
    from .token_user import TokenUser as TokenUser
    from .user_request import UserRequest as UserRequest
    from .user_request import UserRequestDict as UserRequestDict
    from .version import Version as Version
    from .version_details import VersionDetails as VersionDetails
    from .version_link import VersionLink as VersionLink
    from .version_list import VersionList as VersionList
    from .version_media_type import VersionMediaType as VersionMediaType
    from .version_values import VersionValues as VersionValues
else:
    _MODULES = {
        "AuthRequest": "auth_request",
        "AuthRequestDict": "auth_request",
        "CatalogEndpoint": "catalog_endpoint",
        "CatalogService": "catalog_service",
        "CreateTokenRequest": "create_token_request",
        "CreateTokenRequestDict": "create_token_request",
        "CreatedToken": "created_token",
        "DomainRequest": "domain_request",
        "DomainRequestDict": "domain_request",
        "Error": "error",
        "IdentityError": "identity_error",
        "IdentityErrorDetail": "identity_error_detail",
        "IdentityRequest": "identity_request",
        "IdentityRequestDict": "identity_request",
        "IdentityRequestMethodsItem": "identity_request_methods_item",
        "Links": "links",
        "PasswordRequest": "password_request",
        "PasswordRequestDict": "password_request",
        "Project": "project",
        "ProjectList": "project_list",
        "ProjectRequest": "project_request",
        "ProjectRequestDict": "project_request",
        "ScopeRequest": "scope_request",
        "ScopeRequestDict": "scope_request",
        "Token": "token",
        "TokenDomain": "token_domain",
        "TokenProject": "token_project",
        "TokenRole": "token_role",
        "TokenUser": "token_user",
        "UserRequest": "user_request",
        "UserRequestDict": "user_request",
        "Version": "version",
        "VersionDetails": "version_details",
        "VersionLink": "version_link",
        "VersionList": "version_list",
        "VersionMediaType": "version_media_type",
        "VersionValues": "version_values",
    }

    def __getattr__(name):
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(import_module(f".{_MODULES[name]}", __name__), name)
        return value


__all__ = [
    "AuthRequest",
    "AuthRequestDict",
    "CatalogEndpoint",
    "CatalogService",
    "CreateTokenRequest",
    "CreateTokenRequestDict",
    "CreatedToken",
    "DomainRequest",
    "DomainRequestDict",
    "Error",
    "IdentityError",
    "IdentityErrorDetail",
    "IdentityRequest",
    "IdentityRequestDict",
    "IdentityRequestMethodsItem",
    "Links",
    "PasswordRequest",
    "PasswordRequestDict",
    "Project",
    "ProjectList",
    "ProjectRequest",
    "ProjectRequestDict",
    "ScopeRequest",
    "ScopeRequestDict",
    "Token",
    "TokenDomain",
    "TokenProject",
    "TokenRole",
    "TokenUser",
    "UserRequest",
    "UserRequestDict",
    "Version",
    "VersionDetails",
    "VersionLink",
    "VersionList",
    "VersionMediaType",
    "VersionValues",
]


def __dir__() -> list[str]:
    return __all__
