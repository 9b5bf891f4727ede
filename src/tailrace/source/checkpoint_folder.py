"""Spark's checkpoint, wherever it is: on a disk of this machine, or on any file system that Hadoop knows.

What looks into a checkpoint needs few methods of a `Path`, and `HadoopFolder` has these for places such as `s3a://bucket/folder`.
It reads them with the session's own Java, so that they need no other login or library than Spark does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol, Self, TypeVar

from tailrace.errors import ConfigError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_SCHEME: Final = re.compile(r"(?P<scheme>[a-zA-Z][a-zA-Z0-9+.-]+):")
_LOCAL: Final = "file"
_LARGEST: Final = 16 << 20  # bytes of a file of a checkpoint; those of tailrace's queries have some hundred


T = TypeVar("T")


class Folder(Protocol):
    """What looking into a checkpoint needs of a `Path`; each method may raise `OSError`."""

    @property
    def name(self) -> str:
        """The last part."""

    def __truediv__(self, part: str, /) -> Self:
        """What is in it under a name."""

    def glob(self, pattern: str, /) -> Iterable[Self]:
        """What is in it; nothing if it is not there."""

    def read_text(self) -> str:
        """The text of a file."""

    def exists(self) -> bool:
        """Whether there is anything."""


def is_uri(place: str) -> bool:
    """Whether a place is on a named file system: `s3a://bucket/folder`, `hdfs:/folder`."""
    return _SCHEME.match(place) is not None


def folder_of(spark: SparkSession, place: str) -> Folder:
    """The folder of a checkpoint, as Spark takes it."""
    local = local_path(place)
    return HadoopFolder(spark, place) if local is None else local


def local_path(place: str) -> Path | None:
    """The path, if a place is on this machine."""
    found = _SCHEME.match(place)
    if found is None:
        return Path(place)
    if found["scheme"].lower() != _LOCAL:
        return None
    return Path("/" + place[found.end() :].lstrip("/"))


def qualified(spark: SparkSession, place: str) -> str:
    """A place in a session: a path without a file system is on the one that Spark would take; a path if that is this machine's.

    Raises:
        ConfigError: there is no such file system, or it can't be reached.

    """
    folder = HadoopFolder(spark, place)
    try:
        uri = folder.made()
    except OSError as error:
        raise ConfigError(f"the checkpoint {place} can't be made: {error}") from error
    local = local_path(uri)
    return uri if local is None else str(local)


class HadoopFolder:
    """A folder or file on a file system that Hadoop knows."""

    def __init__(self, spark: SparkSession, place: str) -> None:
        self._spark = spark
        self._place = place

    def __str__(self) -> str:
        return self._place

    @property
    def name(self) -> str:
        """The last part."""
        return self._place.rstrip("/").rpartition("/")[2]

    def __truediv__(self, part: str) -> HadoopFolder:
        return HadoopFolder(self._spark, f"{self._place.rstrip('/')}/{part}")

    def glob(self, pattern: str) -> list[HadoopFolder]:
        """What is in it; nothing if it is not there."""

        def names() -> list[str]:
            files, path = self._opened()
            return [each.getPath().getName() for each in files.listStatus(path)] if files.exists(path) else []

        return [self / name for name in _asked(names) if fnmatchcase(name, pattern)]

    def read_text(self) -> str:
        """The text of a file."""

        def content() -> bytes:
            files, path = self._opened()
            size = min(int(files.getFileStatus(path).getLen()), _LARGEST)
            stream = files.open(path)
            try:
                return bytes(stream.readNBytes(size))
            finally:
                stream.close()

        return _asked(content).decode()

    def exists(self) -> bool:
        """Whether there is anything."""

        def found() -> bool:
            files, path = self._opened()
            return bool(files.exists(path))

        return _asked(found)

    def made(self) -> str:
        """Make the folder, and return its place with the file system's name."""

        def make() -> str:
            files, path = self._opened()
            files.mkdirs(path)
            return str(files.makeQualified(path).toString())

        return _asked(make)

    def remove(self) -> None:
        """Remove the folder with all that is in it."""

        def removed() -> None:
            files, path = self._opened()
            files.delete(path, True)

        _asked(removed)

    def _opened(self) -> tuple[Any, Any]:
        """Java's objects: the file system, and the path on it."""
        spark: Any = self._spark
        path = spark._jvm.org.apache.hadoop.fs.Path(self._place)  # noqa: SLF001 -- there is no other way to Hadoop's files
        return path.getFileSystem(spark._jsparkSession.sessionState().newHadoopConf()), path  # noqa: SLF001


def _asked(question: Callable[[], T]) -> T:
    """The answer of Java.

    Raises:
        OSError: it is an error, or Java has ended.

    """
    from py4j.protocol import Py4JError, Py4JJavaError

    try:
        return question()
    except Py4JJavaError as error:
        raise OSError(str(error.java_exception.toString()).splitlines()[0]) from error
    except Py4JError as error:
        raise OSError(str(error)) from error
