"""What a configuration refers to on the driver's machine, for tasks on machines that do not have it.

A placeholder (`${file:…}`, `${env:…}`) is replaced where the configuration is read, and a trust store is a path. For
tasks elsewhere the job takes along what both stand for. It travels within the reader that Spark sends to executors, so that
it is in no option, no plan and no checkpoint. Placeholders stay in the configuration, and a task is told what they mean: so
messages still show the placeholder and not its value.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from attrs import evolve

from tailrace.config.placeholders import PlaceholderError, fill, known_from_elsewhere, values_in
from tailrace.errors import ConfigError
from tailrace.source.job import Job
from tailrace.source.task_folder import task_folder

LARGEST: Final = 8 << 20  # bytes of all files; certificates and key stores have some kilobytes
_VARIABLE: Final = "${env:"
LIVE: Final = frozenset({"signal.file", "schema.history.internal.file.filename"})
"""Files that are written meanwhile, so that a copy is of no use."""


def with_environment(job: Job) -> Job:
    """The job with the variables that it names: Spark's processes may not have those that the driver was given later."""
    return evolve(job, values={each: value for each, value in _values(job).items() if each.startswith(_VARIABLE)})


def with_what_it_names(job: Job) -> Job:
    """The job with the values of its placeholders and the files that it names.

    Raises:
        ConfigError: a value or a file can't be had, or the files are too large.

    """
    values = _values(job)
    filled = {name: fill(text) for name, text in _texts(job.document).items()}
    files = {text: name for name, text in filled.items() if name not in LIVE and _is_file(text)}
    contents = {path: _content(name, path) for path, name in files.items()}
    if (size := sum(map(len, contents.values()))) > LARGEST:
        raise ConfigError(
            f"the files that the configuration names have {size} bytes in all, and up to {LARGEST} are sent to executors: "
            f"{', '.join(sorted(files.values()))}"
        )
    return evolve(
        job, values=values, files={path: base64.b64encode(content).decode() for path, content in contents.items()}
    )


@contextmanager
def unpacked(job: Job) -> Iterator[Job]:
    """Within a task: the job with its files in a folder of this machine, and its placeholders known, until the block ends."""
    if not job.files and not job.values:
        yield job
        return
    with task_folder() as folder:
        places = {path: _stored(folder, n, path, text) for n, (path, text) in enumerate(job.files.items())}
        with known_from_elsewhere(job.values):
            document = _with(job.document, places)
        values = {placeholder: places.get(value, value) for placeholder, value in job.values.items()}
        with known_from_elsewhere(values):
            yield evolve(job, document=document)


def _values(job: Job) -> Mapping[str, str]:
    try:
        return values_in(_texts(job.document).values())
    except PlaceholderError as error:
        raise ConfigError(str(error)) from None


def _texts(document: Mapping[str, Any]) -> Mapping[str, str]:
    return {name: text for name, text in _properties(document).items() if isinstance(text, str)}


def _properties(document: Mapping[str, Any]) -> Mapping[str, Any]:
    inner = document.get("config")
    return inner if isinstance(inner, Mapping) else document


def _with(document: Mapping[str, Any], places: Mapping[str, str]) -> Mapping[str, Any]:
    """The document with other paths, also where a path was told by placeholders or has some in it."""
    moved = {
        name: places.get(fill(value), value) if isinstance(value, str) and name not in LIVE else value
        for name, value in _properties(document).items()
    }
    return {**document, "config": moved} if isinstance(document.get("config"), Mapping) else moved


def _is_file(text: str) -> bool:
    """Whether a value is the path of a file here; a name without a folder is none."""
    try:
        return "/" in text and Path(text).is_file()
    except (OSError, ValueError):  # too long for a path, or with a zero byte
        return False


def _content(name: str, path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise ConfigError(f"{name}: can't read {path}: {error.strerror}") from error


def _stored(folder: Path, number: int, path: str, text: str) -> str:
    """Write a file; its name is kept, as its ending may say what it is."""
    place = folder / str(number) / Path(path).name
    place.parent.mkdir()
    place.touch(mode=0o600)
    place.write_bytes(base64.b64decode(text))
    return str(place)
