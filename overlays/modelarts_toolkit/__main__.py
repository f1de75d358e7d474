"""`python -m modelarts_toolkit` is the command `modelarts`."""

from modelarts_toolkit.cli import main

main()
