"""The Python that Spark's workers run on: this one, with the installed pyspark.

Spark puts an archive of pyspark first in a worker's PYTHONPATH. Each process compiles an archive's modules
again, which takes half a second, and a query starts five processes before its first row. If Spark runs from the
installed pyspark, the archive has nothing else in it, so a small program removes it from the path. Where a fork server
is named in the environment, it asks that for the process (`starting/fork_server.py`).

On a cluster the program is the executors', and Spark's planners, which run here, take the same. A packed environment has a
relative path there, so that Java is started in a folder where this Python is found under it.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from tailrace import starting
from tailrace.cache import keep_somewhere
from tailrace.starting.direct_java import installed_spark, is_installed

CLIENT: Final = Path(starting.__file__).with_name("fork_client.py")
_PROGRAM: Final = """\
#!/bin/sh
# Python for Spark's workers: without the archives of pyspark and py4j, both of which are installed, and without a jar that has
# no modules, whose contents each import would look through.
left=
set -f
IFS=:
for place in $PYTHONPATH; do
  case $place in
    */python/lib/pyspark.zip | */python/lib/py4j-*-src.zip | */jars/spark-core_*.jar) ;;
    *) left=${{left:+$left:}}$place ;;
  esac
done
unset IFS
set +f
export PYTHONPATH=$left
if [ $# = 2 ] && [ "$1" = -m ] && [ "$2" != pyspark.daemon ] && [ -S "$TAILRACE_FORK_SERVER" ]; then
  TAILRACE_FORK_MODULE=$2 exec {python} -I -S {client} {python}
fi
exec {python} "$@"
"""


def use_worker_python() -> None:
    """Name `worker_python` in the environment, also in place of this very Python: it runs that."""
    named = os.environ.get("PYSPARK_PYTHON")
    if named is None or _is_this(Path(named)):
        os.environ["PYSPARK_PYTHON"] = worker_python()


def worker_python() -> str:
    """The program that starts this machine's workers; plain Python if the archive is needed."""
    home = os.environ.get("SPARK_HOME", installed_spark())
    if home is None or not is_installed(Path(home)) or find_spec("py4j") is None:
        return sys.executable
    text = _program()
    name = hashlib.sha256(text.encode()).hexdigest()[:12]  # a machine may have several
    program = keep_somewhere(f"workers/python-{name}", text, mode=0o755)
    return str(program) if os.access(program, os.X_OK) else sys.executable


@contextmanager
def own_environment(program: str | None) -> Iterator[None]:
    """Until the end of the block new processes begin in a folder where a relative path of a Python leads to this one."""
    if program is None or not program.startswith("."):
        yield
        return
    text = _program()
    folder = f"workers/{hashlib.sha256(sys.executable.encode()).hexdigest()[:12]}"
    kept = keep_somewhere(f"{folder}/{program}", text, mode=0o755)
    before = Path.cwd()
    os.chdir(kept.parents[len(Path(program).parts) - 1])
    try:
        yield
    finally:
        os.chdir(before)


def _is_this(python: Path) -> bool:
    """Whether a path is that of this Python, perhaps by a shorter name; one in another folder has other packages."""
    own = Path(sys.executable)
    return python.parent == own.parent and python.resolve() == own.resolve()


def _program() -> str:
    return _PROGRAM.format(python=shlex.quote(sys.executable), client=shlex.quote(str(CLIENT)))
