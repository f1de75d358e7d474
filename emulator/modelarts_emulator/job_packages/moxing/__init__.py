"""Files in object storage as if they were local: `import moxing as mox`, then `mox.file.copy_parallel(...)`.

Written from the published documentation of MoXing's file API; `mox.file` is all that is offered of MoXing.
Needs the standard library only, because the Python of a job may have nothing else.
"""

from moxing import file

__all__ = ["file"]
