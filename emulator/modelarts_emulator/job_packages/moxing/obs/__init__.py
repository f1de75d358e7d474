"""A client of object storage in the S3 dialect, which OBS speaks, made of the standard library."""
