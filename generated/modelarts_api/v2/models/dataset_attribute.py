# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from typing import TypeAlias

DatasetAttribute: TypeAlias = dict[str, str | None]
"""A property of a dataset by name.
Known keys: data_format, data_segmentation, dataset_type.
"""
