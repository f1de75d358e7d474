"""Logins: tokens, signatures with access keys, and the project."""
