"""Documents in files: loading, and making one document of many files."""
