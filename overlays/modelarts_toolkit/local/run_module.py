"""The boot file of `modelarts run -m`: it is uploaded with the code, and starts a module as `python -m` does."""

import os
import runpy

if __name__ == "__main__":
    runpy.run_module(os.environ["MODELARTS_RUN_MODULE"], run_name="__main__", alter_sys=True)
