# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from typing import TypeAlias

DatasetAttributeRequest: TypeAlias = dict[str, str]
"""A property of a dataset by name: `data_format`, `data_segmentation` or `dataset_type`, the kind of labels.
Known keys: data_format, data_segmentation, dataset_type.
"""
