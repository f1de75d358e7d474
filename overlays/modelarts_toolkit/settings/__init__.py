"""Settings: their sources and how they are combined."""
