"""The layer between calls and the network: retries, time limits, redaction."""
