"""Kafka Connect's offsets in a file, as a standalone worker, Debezium's engine and Debezium Server use it."""

from __future__ import annotations

import os
from pathlib import Path

from tailrace.connect_offsets.serialized_map import read_map, write_map
from tailrace.errors import ConfigError


class OffsetFile:
    """The file that `offset.storage.file.filename` names. The worker that it belongs to must be stopped."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path).expanduser()

    def __str__(self) -> str:
        return f"the file {self._path}"

    def exists(self) -> bool:
        """Whether there is such a file."""
        return self._path.exists()

    def load(self) -> dict[bytes, bytes | None]:
        """All entries; none if there is no file."""
        try:
            return read_map(self._path.read_bytes(), str(self._path))
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise ConfigError(f"can't read {self}: {error.strerror}") from error

    def store(self, key: bytes, value: bytes) -> None:
        """Set one entry, atomically; the others stay."""
        data = write_map({**self.load(), key: value})
        # written beside it and renamed: a crash must not leave Connect with half a file
        new = self._path.with_name(self._path.name + ".new")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with new.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            new.replace(self._path)
        except OSError as error:
            raise ConfigError(f"can't write {self}: {error.strerror}") from error
