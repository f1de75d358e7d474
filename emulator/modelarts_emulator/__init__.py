"""A local ModelArts: IAM, training jobs that really run, and an object store, served on loopback."""
