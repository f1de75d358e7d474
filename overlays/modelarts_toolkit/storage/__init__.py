"""Object storage: uploads, downloads and buckets."""
