"""Find out whether a Python has libraries for accelerators: `python accelerator_probe.py gpu` prints yes or no.

The script reads names of packages and two files, because an import of torch takes seconds.
"""

import re
import sys
from pathlib import Path

NAMES = {
    "gpu": r"cuda|[-_]gpu\b|[-_.+]cu\d|\+nv\d",  # such as nvidia_cublas_cu12, torch-2.1.0+cu121, torch-2.6.0+nv25.1
    "npu": r"^(torch_npu|mindspore)\b",
}
BUILDS = {
    "torch/version.py": r"(?m)^cuda\b.*= *['\"]",
    "tensorflow/python/platform/build_info.py": r"is_cuda_build\W+True",
}


def has_libraries(kind: str) -> bool:
    """Return whether a package is made for this kind of accelerator, as its name, its build or its files say."""
    folders = [Path(folder) for folder in sys.path[1:] if Path(folder).is_dir()]
    packages = [path.name for folder in folders for path in folder.glob("*-info")]
    packages += [path.name for path in Path(sys.base_prefix, "conda-meta").glob("*.json")]
    if any(re.search(NAMES[kind], name, re.IGNORECASE) for name in packages):
        return True
    builds = [(folder / file, pattern) for folder in folders for file, pattern in BUILDS.items()]
    return kind == "gpu" and any(
        re.search(pattern, path.read_text("utf-8", "replace")) for path, pattern in builds if path.is_file()
    )


if __name__ == "__main__":
    sys.stdout.write("yes" if has_libraries(sys.argv[1]) else "no")
