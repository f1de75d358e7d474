"""The layer between calls and the network: options, retries, time limits, redaction."""
