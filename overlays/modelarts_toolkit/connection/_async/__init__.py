"""The workflows, written by hand; `_sync` is derived from them."""
