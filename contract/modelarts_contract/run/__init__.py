"""Runs of the contract tests: every operation of the documents against an emulator or a real service."""
