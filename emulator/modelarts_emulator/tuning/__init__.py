"""Searches for hyperparameters: jobs that run trials, each with other values, and learn from their results."""
