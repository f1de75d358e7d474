"""Object storage: transfers, and what is sent."""
