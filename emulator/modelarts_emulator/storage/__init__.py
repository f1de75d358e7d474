"""Object storage: buckets in a folder."""
