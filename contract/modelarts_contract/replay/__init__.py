"""Replay: a recording is played on an emulator, and what both responded with is compared."""
