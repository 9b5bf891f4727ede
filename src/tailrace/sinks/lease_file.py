"""A lease in a file, beside a target's progress: replaced by a rename, compared and changed under a lock."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from attrs import evolve

from tailrace.durable_files import lock, stands_still
from tailrace.errors import ConfigError, RetriableError
from tailrace.sinks.holder import Holder
from tailrace.sinks.lease import Record

FILE: Final = "lease.json"
LOCK_SECONDS: Final = 10.0
_LOCK: Final = "lease.lock"


class LeaseFile:
    """The lease of a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = folder / FILE

    def read(self) -> Record | None:
        """The current record; a file that can't be parsed was not left by an active run."""
        try:
            text = self._path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise RetriableError(f"the lease {self._path} can't be read: {error.strerror}") from error
        return record_of(_fields(text), version=text)

    def write(self, record: Record, *, after: Record | None) -> Record | None:
        """Write, unless the current record is not `after`."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            with self._locked():
                found = self.read()
                if (found and found.version) != (after and after.version):
                    return None
                text = json.dumps(fields_of(record), ensure_ascii=False).encode()
                new = self._path.with_suffix(".new")
                new.write_bytes(text)
                new.replace(self._path)
        except PermissionError as error:
            raise ConfigError(
                f"can't write to {self._folder}: {error.strerror}; let tailrace's user write there"
            ) from error
        except OSError as error:
            raise RetriableError(f"can't write to {self._folder}: {error.strerror}") from error
        return evolve(record, version=text)

    def close(self) -> None:
        """Nothing is held."""

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Hold the lock during compare and rename."""
        path = self._folder / _LOCK
        with path.open("ab") as file:
            if not lock(file.fileno(), LOCK_SECONDS):  # without end nobody would be told of it
                raise RetriableError(stands_still(path, LOCK_SECONDS))
            yield


def fields_of(record: Record) -> dict[str, Any]:
    """A record as a JSON object."""
    return {**record.holder.to_fields(), "beat": record.beat, "released": record.released}


def record_of(fields: dict[str, Any], version: Any) -> Record:
    """A record from a JSON object; missing fields are unknown, and all fields of a damaged one."""
    try:
        return _record(fields, version)
    except (TypeError, ValueError):
        return _record({}, version)


def _record(fields: dict[str, Any], version: Any) -> Record:
    return Record(
        holder=Holder.of_fields(fields),
        beat=int(fields.get("beat", 0)),
        released=bool(fields.get("released", False)),
        version=version,
    )


def _fields(text: bytes) -> dict[str, Any]:
    try:
        fields = json.loads(text)
    except ValueError:
        return {}
    return fields if isinstance(fields, dict) else {}
