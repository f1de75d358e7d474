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
    from .create_temporary_keys_request import CreateTemporaryKeysRequest as CreateTemporaryKeysRequest
    from .create_temporary_keys_request import CreateTemporaryKeysRequestDict as CreateTemporaryKeysRequestDict
    from .create_token_request import CreateTokenRequest as CreateTokenRequest
    from .create_token_request import CreateTokenRequestDict as CreateTokenRequestDict
    from .created_temporary_keys import CreatedTemporaryKeys as CreatedTemporaryKeys
    from .created_token import CreatedToken as CreatedToken
    from .domain import Domain as Domain
    from .domain_list import DomainList as DomainList
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
    from .project_details import ProjectDetails as ProjectDetails
    from .project_list import ProjectList as ProjectList
    from .project_request import ProjectRequest as ProjectRequest
    from .project_request import ProjectRequestDict as ProjectRequestDict
    from .region import Region as Region
    from .region_details import RegionDetails as RegionDetails
    from .region_list import RegionList as RegionList
    from .region_locales import RegionLocales as RegionLocales
    from .scope_request import ScopeRequest as ScopeRequest
    from .scope_request import ScopeRequestDict as ScopeRequestDict
    from .temporary_keys import TemporaryKeys as TemporaryKeys
    from .temporary_keys_auth_request import TemporaryKeysAuthRequest as TemporaryKeysAuthRequest
    from .temporary_keys_auth_request import TemporaryKeysAuthRequestDict as TemporaryKeysAuthRequestDict
    from .temporary_keys_identity_request import TemporaryKeysIdentityRequest as TemporaryKeysIdentityRequest
    from .temporary_keys_identity_request import TemporaryKeysIdentityRequestDict as TemporaryKeysIdentityRequestDict
    from .temporary_keys_identity_request_methods_item import (
        TemporaryKeysIdentityRequestMethodsItem as TemporaryKeysIdentityRequestMethodsItem,
    )
    from .temporary_keys_token_request import TemporaryKeysTokenRequest as TemporaryKeysTokenRequest
    from .temporary_keys_token_request import TemporaryKeysTokenRequestDict as TemporaryKeysTokenRequestDict
    from .token import Token as Token
    from .token_domain import TokenDomain as TokenDomain
    from .token_id_request import TokenIdRequest as TokenIdRequest
    from .token_id_request import TokenIdRequestDict as TokenIdRequestDict
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
        "CreateTemporaryKeysRequest": "create_temporary_keys_request",
        "CreateTemporaryKeysRequestDict": "create_temporary_keys_request",
        "CreateTokenRequest": "create_token_request",
        "CreateTokenRequestDict": "create_token_request",
        "CreatedTemporaryKeys": "created_temporary_keys",
        "CreatedToken": "created_token",
        "Domain": "domain",
        "DomainList": "domain_list",
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
        "ProjectDetails": "project_details",
        "ProjectList": "project_list",
        "ProjectRequest": "project_request",
        "ProjectRequestDict": "project_request",
        "Region": "region",
        "RegionDetails": "region_details",
        "RegionList": "region_list",
        "RegionLocales": "region_locales",
        "ScopeRequest": "scope_request",
        "ScopeRequestDict": "scope_request",
        "TemporaryKeys": "temporary_keys",
        "TemporaryKeysAuthRequest": "temporary_keys_auth_request",
        "TemporaryKeysAuthRequestDict": "temporary_keys_auth_request",
        "TemporaryKeysIdentityRequest": "temporary_keys_identity_request",
        "TemporaryKeysIdentityRequestDict": "temporary_keys_identity_request",
        "TemporaryKeysIdentityRequestMethodsItem": "temporary_keys_identity_request_methods_item",
        "TemporaryKeysTokenRequest": "temporary_keys_token_request",
        "TemporaryKeysTokenRequestDict": "temporary_keys_token_request",
        "Token": "token",
        "TokenDomain": "token_domain",
        "TokenIdRequest": "token_id_request",
        "TokenIdRequestDict": "token_id_request",
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
    "CreateTemporaryKeysRequest",
    "CreateTemporaryKeysRequestDict",
    "CreateTokenRequest",
    "CreateTokenRequestDict",
    "CreatedTemporaryKeys",
    "CreatedToken",
    "Domain",
    "DomainList",
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
    "ProjectDetails",
    "ProjectList",
    "ProjectRequest",
    "ProjectRequestDict",
    "Region",
    "RegionDetails",
    "RegionList",
    "RegionLocales",
    "ScopeRequest",
    "ScopeRequestDict",
    "TemporaryKeys",
    "TemporaryKeysAuthRequest",
    "TemporaryKeysAuthRequestDict",
    "TemporaryKeysIdentityRequest",
    "TemporaryKeysIdentityRequestDict",
    "TemporaryKeysIdentityRequestMethodsItem",
    "TemporaryKeysTokenRequest",
    "TemporaryKeysTokenRequestDict",
    "Token",
    "TokenDomain",
    "TokenIdRequest",
    "TokenIdRequestDict",
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
