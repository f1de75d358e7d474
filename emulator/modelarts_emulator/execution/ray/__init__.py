"""Runs jobs on a Ray cluster, by a placement group for each attempt and an actor for each of its tasks."""
