"""The HTTP side of object storage: the dialects of S3 and OBS over any store."""
