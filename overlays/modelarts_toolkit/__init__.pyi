"""The public names for type checkers; `__init__.py` has them for Python, and a test compares both."""

from modelarts_toolkit._async.client import AsyncModelArts as AsyncModelArts
from modelarts_toolkit._sync.client import ModelArts as ModelArts
from modelarts_toolkit.auth.access_keys import AkSkAuth as AkSkAuth
from modelarts_toolkit.curves.curves import Curve as Curve
from modelarts_toolkit.errors import ApiError as ApiError
from modelarts_toolkit.errors import BadRequest as BadRequest
from modelarts_toolkit.errors import ConfigError as ConfigError
from modelarts_toolkit.errors import Conflict as Conflict
from modelarts_toolkit.errors import ConnectionFailed as ConnectionFailed
from modelarts_toolkit.errors import Forbidden as Forbidden
from modelarts_toolkit.errors import IncompleteList as IncompleteList
from modelarts_toolkit.errors import JobError as JobError
from modelarts_toolkit.errors import JobFailed as JobFailed
from modelarts_toolkit.errors import JobStopped as JobStopped
from modelarts_toolkit.errors import NotFound as NotFound
from modelarts_toolkit.errors import ObsError as ObsError
from modelarts_toolkit.errors import ServiceFailure as ServiceFailure
from modelarts_toolkit.errors import ToolkitError as ToolkitError
from modelarts_toolkit.errors import TooManyRequests as TooManyRequests
from modelarts_toolkit.errors import Unauthorized as Unauthorized
from modelarts_toolkit.errors import WaitTimeout as WaitTimeout
from modelarts_toolkit.job_requests.job_request import JobRequest as JobRequest
from modelarts_toolkit.job_requests.rerun import as_request as as_request
from modelarts_toolkit.jobs._async.jobs import AsyncJob as AsyncJob
from modelarts_toolkit.jobs._async.jobs import AsyncJobs as AsyncJobs
from modelarts_toolkit.jobs._async.v1_jobs import AsyncV1Job as AsyncV1Job
from modelarts_toolkit.jobs._async.v1_jobs import AsyncV1Jobs as AsyncV1Jobs
from modelarts_toolkit.jobs._sync.jobs import Job as Job
from modelarts_toolkit.jobs._sync.jobs import Jobs as Jobs
from modelarts_toolkit.jobs._sync.v1_jobs import V1Job as V1Job
from modelarts_toolkit.jobs._sync.v1_jobs import V1Jobs as V1Jobs
from modelarts_toolkit.jobs.comparison import Comparison as Comparison
from modelarts_toolkit.jobs.explain import Verdict as Verdict
from modelarts_toolkit.jobs.info import JobInfo as JobInfo
from modelarts_toolkit.jobs.log_cursor import LogCursor as LogCursor
from modelarts_toolkit.jobs.polling import OnProgress as OnProgress
from modelarts_toolkit.jobs.polling import Progress as Progress
from modelarts_toolkit.jobs.state import TERMINAL_PHASES as TERMINAL_PHASES
from modelarts_toolkit.jobs.state import Phase as Phase
from modelarts_toolkit.jobs.tables import Rows as Rows
from modelarts_toolkit.local.exam import Exam as Exam
from modelarts_toolkit.local.exam import ExamError as ExamError
from modelarts_toolkit.local.exam import examine as examine
from modelarts_toolkit.local.exam import take_exam as take_exam
from modelarts_toolkit.settings.config import Config as Config
from modelarts_toolkit.settings.sources import Settings as Settings
from modelarts_toolkit.storage._async.obs import AsyncObs as AsyncObs
from modelarts_toolkit.storage._sync.obs import Obs as Obs
from modelarts_toolkit.storage.bucket_requests import StoredObject as StoredObject
from modelarts_toolkit.storage.transfers import Transfer as Transfer
from modelarts_toolkit.storage.uploads import OnUpload as OnUpload
from modelarts_toolkit.storage.uploads import UploadProgress as UploadProgress

__version__: str
__all__: list[str]
