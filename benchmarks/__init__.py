"""Speed and memory of the toolkit and the emulator, as ratios against peers in one run: `python -m benchmarks`."""
