"""The request for a job as `ma.jobs.submit` takes it; a hyperparameter or variable may be a number or a boolean."""

from modelarts_api.v2.models import CreateTrainingJobRequestInput as JobRequest

__all__ = ["JobRequest"]
