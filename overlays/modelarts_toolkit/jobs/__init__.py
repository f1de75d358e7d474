"""What can be done with jobs. Workflows are written in `_async`, and `make generate` derives `_sync` from it."""
