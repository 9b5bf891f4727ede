"""Archives of Java programs from Maven's repository, which have their jars within them.

Ivy, which is part of pyspark, downloads them with whatever repository and proxy it is set to.
"""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tailrace_standins.servers.child_process import dying_with_parent
from tailrace_standins.servers.java_jars import Unavailable, jars_of_spark, needed_java, reason_in

_FETCH_TIMEOUT: Final = 1800  # seconds


@dataclass(frozen=True)
class Archive:
    """An archive by its Maven coordinates; its file ends in .tar.gz."""

    group: str
    name: str
    version: str
    classifier: str | None = None

    @property
    def ivy(self) -> str:
        """The module descriptor with which Ivy fetches it alone."""
        classifier = "" if self.classifier is None else f' m:classifier="{self.classifier}"'
        return (
            '<ivy-module version="2.0" xmlns:m="http://ant.apache.org/ivy/maven">'
            '<info organisation="tailrace" module="fetched"/><dependencies>'
            f'<dependency org="{self.group}" name="{self.name}" rev="{self.version}" transitive="false">'
            f'<artifact name="{self.name}" type="tar.gz" ext="tar.gz"{classifier}/>'
            "</dependency></dependencies></ivy-module>\n"
        )


def downloaded(archive: Archive, folder: Path) -> Path:
    """The archive as a file in `folder`, which then has everything that Ivy keeps as well. Raises `Unavailable`."""
    folder.mkdir(exist_ok=True)
    (folder / "ivy.xml").write_text(archive.ivy)
    command = [
        *dying_with_parent(),
        *(str(needed_java() / "bin" / "java"), f"-Duser.home={folder}"),
        *("-cp", ":".join(map(str, jars_of_spark("ivy-*.jar"))), "org.apache.ivy.Main"),
        *("-cache", str(folder / "cache"), "-ivy", str(folder / "ivy.xml")),
        *("-retrieve", str(folder / "[artifact].[ext]"), "-symlink"),
    ]
    try:
        done = subprocess.run(  # noqa: S603
            command, capture_output=True, text=True, timeout=_FETCH_TIMEOUT, check=False, stdin=subprocess.DEVNULL
        )
    except subprocess.TimeoutExpired:
        raise Unavailable(f"the archive of {archive.name} took longer than {_FETCH_TIMEOUT} s") from None
    found = folder / f"{archive.name}.tar.gz"
    if not found.exists():
        raise Unavailable(f"the archive of {archive.name} could not be fetched: {reason_in(done.stdout + done.stderr)}")
    return found
