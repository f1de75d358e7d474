# Generated from openapi by scripts/generate.py; do not edit.
"""Typed clients of the ModelArts training APIs and their login service, one subpackage per OpenAPI document.

Nothing here is loaded before it is used: `import modelarts_api` costs nothing, and an operation loads no model.
"""
