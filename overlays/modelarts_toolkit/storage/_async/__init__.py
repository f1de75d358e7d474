"""Object storage, written by hand; `_sync` is derived from it."""
