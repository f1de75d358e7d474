"""Workflows with jobs, written in `_async`; `make generate` derives `_sync`."""
