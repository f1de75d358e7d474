"""Object storage: buckets in a folder, or in a bucket of another service."""
