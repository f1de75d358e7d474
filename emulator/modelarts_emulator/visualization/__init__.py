"""Visualization jobs: tools such as TensorBoard that show what a training has written to object storage."""
