"""Scripts that run on this machine, in its emulator: once, in a rehearsal or in an exam."""
