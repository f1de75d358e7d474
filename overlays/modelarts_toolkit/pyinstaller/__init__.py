"""Hooks that PyInstaller finds by the entry point `pyinstaller40`: data, and the modules that are loaded by name."""


def hook_dirs() -> list[str]:
    """Return the folders with hooks."""
    return list(__path__)
