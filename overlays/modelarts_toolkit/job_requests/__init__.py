"""The bodies of requests that create jobs and versions."""
