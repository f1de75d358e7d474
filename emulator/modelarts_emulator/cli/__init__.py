"""The command `modelarts emulator`."""
