"""Comparison of two states of the documents: which changes break which clients."""
