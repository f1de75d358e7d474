"""The control API: what those who run the emulator can do with it, over HTTP or from the thread that started it."""
