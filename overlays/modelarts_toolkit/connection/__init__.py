"""A connection to a project: HTTP clients of settings and login, the operations and object storage."""
