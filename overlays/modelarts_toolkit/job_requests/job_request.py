"""The request that `ma.jobs.submit` takes."""

from modelarts_api.v2.models import CreateTrainingJobRequestInput


class JobRequest(CreateTrainingJobRequestInput):
    """A training job as the document of version 2 describes it; a hyperparameter or variable may be a number too."""
