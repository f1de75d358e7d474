"""OpenAPI documents: files that become one, what its references mean, and the walks through its schemas."""
