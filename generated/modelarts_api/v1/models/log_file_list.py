# Generated from openapi/v1 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset


@attrs.define(kw_only=True, repr=False)
class LogFileList(Model):
    """The log files of a version, one per node."""

    is_success: bool | None | Unset = UNSET
    """Whether the call was carried out. False means that the answer is a refusal, whatever its HTTP status."""
    log_file_list: list[str] | None | Unset = UNSET
    """Names of the files, such as `job-jobtest-tf.0`; the number counts the nodes."""
    error_code: str | None | Unset = UNSET
    """Code of the refusal; left out of a success."""
    error_message: str | None | Unset = UNSET
    """Reason of the refusal, in English; left out of a success."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("is_success", "is_success"),
        ("log_file_list", "log_file_list"),
        ("error_code", "error_code"),
        ("error_message", "error_message"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.is_success = take("is_success", UNSET)
        self.log_file_list = take("log_file_list", UNSET)
        self.error_code = take("error_code", UNSET)
        self.error_message = take("error_message", UNSET)
        self.additional_properties = rest
        return self
