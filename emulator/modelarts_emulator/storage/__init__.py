"""Object storage on a folder: the store itself, and the S3-compatible dialect that OBS clients and boto3 speak."""
