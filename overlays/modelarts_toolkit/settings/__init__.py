"""Settings: where they come from, and how they are put together."""
