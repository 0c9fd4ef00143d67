"""What tests need of other ecosystems, installed once: Debian's packages where root may, npm's into the environment."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

CACHE = Path(sys.prefix)
"""A folder that lasts from one run to the next and belongs to whoever runs the tests."""


def apt(name: str) -> None:
    """Install a package of Debian's, if that is possible here; workers that want it at the same time take turns."""
    program = shutil.which("apt-get")
    if program is None or not hasattr(os, "geteuid") or os.geteuid() != 0:
        return
    patient = [program, "-qq", "-o", "DPkg::Lock::Timeout=300", "-o", "APT::Get::Lock::Timeout=300"]
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    install = [*patient, "install", "-y", "--no-install-recommends", name]
    if subprocess.run(install, env=environment, capture_output=True, check=False).returncode:
        subprocess.run([*patient, "update"], env=environment, capture_output=True, check=False)
        subprocess.run(install, env=environment, capture_output=True, check=False)
