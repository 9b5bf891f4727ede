"""Confluent's consumer with all that its Avro deserializer needs, in a folder of its own in the cache.

`confluent-kafka[avro]` brings an HTTP client, cryptography and more that nothing else here needs: so it is not in the test's Python.
"""

import os
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

from tailrace.cache import cache_folder
from tailrace_standins.servers.java_jars import Unavailable

PIP = (sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target")


def confluents_packages() -> Path:
    """The folder, for `PYTHONPATH`; raises `Unavailable` if pip can't fill it."""
    wanted = f"confluent-kafka[avro]=={version('confluent-kafka')}"
    folder = cache_folder() / "confluents-consumer" / f"{wanted}-{sys.implementation.cache_tag}"
    if folder.exists():
        return folder
    new = folder.with_name(f"{folder.name}.{os.getpid()}")  # renamed when it is whole: another process never sees half of it
    try:
        done = subprocess.run([*PIP, str(new), wanted], capture_output=True, text=True, check=False, timeout=300)
        if done.returncode:
            raise Unavailable(f"pip can't install {wanted}: {done.stderr.strip()[-300:]}")
        new.rename(folder)
    except subprocess.TimeoutExpired:
        raise Unavailable(f"pip did not install {wanted} in time") from None
    except OSError:
        if not folder.exists():  # else another process was faster
            raise
    finally:
        shutil.rmtree(new, ignore_errors=True)
    return folder
