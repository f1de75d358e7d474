"""`python -m modelarts_toolkit` is the command `modelarts`."""

from .cli import main

main()
