"""The public names; at run time `__init__.py` reads from this file which module has each of them."""

from ._async.client import AsyncModelArts as AsyncModelArts
from ._sync.client import ModelArts as ModelArts
from .auth.access_keys import AkSkAuth as AkSkAuth
from .errors import ApiError as ApiError
from .errors import BadRequest as BadRequest
from .errors import ConfigError as ConfigError
from .errors import Conflict as Conflict
from .errors import ConnectionFailed as ConnectionFailed
from .errors import Forbidden as Forbidden
from .errors import IncompleteList as IncompleteList
from .errors import JobError as JobError
from .errors import JobFailed as JobFailed
from .errors import JobStopped as JobStopped
from .errors import NotFound as NotFound
from .errors import ObsError as ObsError
from .errors import ServiceFailure as ServiceFailure
from .errors import ToolkitError as ToolkitError
from .errors import TooManyRequests as TooManyRequests
from .errors import Unauthorized as Unauthorized
from .errors import WaitTimeout as WaitTimeout
from .exam import Exam as Exam
from .exam import ExamError as ExamError
from .exam import take_exam as take_exam
from .jobs._async.jobs import AsyncJob as AsyncJob
from .jobs._async.jobs import AsyncJobs as AsyncJobs
from .jobs._async.v1_jobs import AsyncV1Job as AsyncV1Job
from .jobs._async.v1_jobs import AsyncV1Jobs as AsyncV1Jobs
from .jobs._sync.jobs import Job as Job
from .jobs._sync.jobs import Jobs as Jobs
from .jobs._sync.v1_jobs import V1Job as V1Job
from .jobs._sync.v1_jobs import V1Jobs as V1Jobs
from .jobs.comparison import Comparison as Comparison
from .jobs.curves import Curve as Curve
from .jobs.explain import Verdict as Verdict
from .jobs.info import JobInfo as JobInfo
from .jobs.job_request import JobRequest as JobRequest
from .jobs.log_cursor import LogCursor as LogCursor
from .jobs.polling import OnProgress as OnProgress
from .jobs.polling import Progress as Progress
from .jobs.rerun import as_request as as_request
from .jobs.state import TERMINAL_PHASES as TERMINAL_PHASES
from .jobs.state import Phase as Phase
from .jobs.tables import Rows as Rows
from .settings.config import Config as Config
from .settings.sources import Settings as Settings
from .storage._async.obs import AsyncObs as AsyncObs
from .storage._sync.obs import Obs as Obs
from .storage.bucket_requests import StoredObject as StoredObject
from .storage.transfers import Transfer as Transfer
from .storage.uploads import OnUpload as OnUpload
from .storage.uploads import UploadProgress as UploadProgress

__version__: str
__all__: list[str]
