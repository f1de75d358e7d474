"""The command `modelarts`."""

import sys


def main() -> None:
    """Run the command; without the command-line libraries, say what to install."""
    try:
        from .commands import modelarts
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("modelarts"):
            raise
        sys.exit(f"modelarts: the command line needs {error.name}: pip install 'modelarts-toolkit[cli]'")
    modelarts()
