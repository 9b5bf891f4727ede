"""The Python that Spark's workers run on: this one, which takes pyspark from where it is installed.

Spark puts an archive of pyspark before everything else in a worker's PYTHONPATH. Modules of an archive are compiled anew by
each process, which takes half a second, and a query starts five processes before its first row. Where the installed pyspark
is the one that Spark itself is from, the archive has nothing else in it, so a small program leaves it out.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from tailrace.cache import cache_folder, keep

_PROGRAM: Final = """\
#!/bin/sh
# Python for Spark's workers: without the archives of pyspark and py4j, both of which are installed.
left=
set -f
IFS=:
for place in $PYTHONPATH; do
  case $place in
    */python/lib/pyspark.zip | */python/lib/py4j-*-src.zip) ;;
    *) left=${{left:+$left:}}$place ;;
  esac
done
unset IFS
set +f
PYTHONPATH=$left exec {python} "$@"
"""


def worker_python() -> str:
    """The program to start workers of this machine with; plain Python where nothing would be gained."""
    spec = find_spec("pyspark")
    if spec is None or spec.origin is None or find_spec("py4j") is None:
        return sys.executable
    installed, home = Path(spec.origin).parent, os.environ.get("SPARK_HOME")
    if home is not None and Path(home).resolve() != installed.resolve():
        return sys.executable
    text = _PROGRAM.format(python=shlex.quote(sys.executable))
    name = hashlib.sha256(sys.executable.encode()).hexdigest()[:12]  # a machine may have several
    program = keep(cache_folder() / "workers" / f"python-{name}", text, mode=0o755)
    return str(program) if os.access(program, os.X_OK) else sys.executable
