"""Event files as a training script writes them, with TensorBoard's own writer."""

from __future__ import annotations

from pathlib import Path

from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.summary.writer.event_file_writer import EventFileWriter

__all__ = ["Scalars"]


class Scalars:
    """One run's event file in a folder, to which values of the scalar `loss` are appended."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._writer = EventFileWriter(str(folder))
        self._step = 0

    def add(self, *values: float) -> Path:
        """Append a step per value; returns the file, with everything so far in it."""
        for value in values:
            self._step += 1
            summary = Summary(value=[Summary.Value(tag="loss", simple_value=value)])
            self._writer.add_event(Event(step=self._step, wall_time=self._step, summary=summary))
        self._writer.flush()
        return next(self._folder.glob("*tfevents*"))

    def close(self) -> None:
        self._writer.close()
