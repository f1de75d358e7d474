"""Jobs described by files: read, checked, submitted."""
