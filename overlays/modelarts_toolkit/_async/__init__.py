"""The client, written by hand; `_sync` is derived from it."""
