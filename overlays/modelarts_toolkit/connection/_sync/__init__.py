# Derived from _async/__init__.py by scripts/derive_sync.py; do not edit.
"""The workflows, written by hand; `_sync` is derived from them."""
