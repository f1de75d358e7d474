"""The advisor: a process beside the emulator that does what would burden or endanger it.

It proposes values for trials, analyses results and draws them, for which it loads large libraries, and it applies the
users' regular expressions to logs, which may take for ever. It remembers nothing: every request says all it needs, so
that it can be ended and started again at any time.
"""
