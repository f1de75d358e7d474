"""What the emulator adds to a cluster's own time, measured on clusters of this machine: `make bench-engines`."""
