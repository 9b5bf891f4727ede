"""A packed environment: what tasks of tailrace need besides a Python, in one archive that Spark unpacks on each executor.

It has the files of tailrace and of all that it needs, and a `bin/python` that runs the executor's own Python with them. A
virtual environment itself can't be moved: its paths are absolute, and an editable installation leads out of it.
"""

from __future__ import annotations

import io
import json
import os
import re
import sys
import tarfile
from collections.abc import Iterator, Sequence
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from typing import Final

from tailrace.connectors.registry import SPECS
from tailrace.errors import ConfigError

OWN: Final = "tailrace"
PACKAGES: Final = (OWN, *(spec.frames for spec in SPECS.values()))
NOT_FOR_TASKS: Final = frozenset({"dev", "java"})
"""Extras of tailrace: what its developers need, and Java, which tasks don't start."""
MODULES: Final = "lib/modules"
_LEFT_OUT: Final = re.compile(r"pyspark/(jars|bin|sbin|examples|licenses|data|python/lib)/")  # an executor has its own Spark
_REQUIREMENT: Final = re.compile(r"(?P<name>[\w.-]+)\s*(?:\[(?P<extras>[^\]]*)\])?")
_EXTRA: Final = re.compile(r"""extra\s*==\s*["']([^"']+)["']""")
_PYTHON: Final = """\
#!/bin/sh
# Runs this machine's Python {version} with the modules beside it; TAILRACE_BASE_PYTHON names another program for it.
here=$(CDPATH= cd -- "$(dirname -- "$0")/.." && pwd)
for python in ${{TAILRACE_BASE_PYTHON:-python{version} /usr/local/bin/python{version} /usr/bin/python{version} python3}}; do
  if "$python" -c 'import sys; sys.exit(sys.version_info[:2] != ({comma}))' 2>/dev/null; then
    PYTHONPATH="${{PYTHONPATH:+$PYTHONPATH:}}$here/{modules}" exec "$python" "$@"
  fi
done
echo "tailrace's packed environment needs Python {version}, and this machine has none; TAILRACE_BASE_PYTHON may name one" >&2
exit 127
"""


def pack(destination: Path, further: Sequence[str] = ()) -> int:
    """Write the archive, a tar.gz, and return how many files it has.

    Args:
        destination: of the archive; replaced once all is written.
        further: names of distributions that the user's own transforms or converters need.

    Raises:
        ConfigError: something is not installed, or not as files that can be packed.

    """
    found: dict[str, Distribution] = {}
    _collect(OWN, extras_of_tasks(), found)
    for name in further:
        _collect(name, frozenset(), found)
    files = {place: path for each in found.values() for place, path in _files_of(each)}
    new = destination.with_name(f"{destination.name}.{os.getpid()}")
    try:
        with tarfile.open(new, "w:gz", compresslevel=3) as archive:
            _add_python(archive)
            for place, path in sorted(files.items()):
                archive.add(path, f"{MODULES}/{place}", recursive=False, filter=_anonymous)
        new.replace(destination)
    except OSError as error:
        raise ConfigError(f"can't write {destination}: {error.strerror}") from error
    finally:
        new.unlink(missing_ok=True)
    return len(files)


def extras_of_tasks() -> frozenset[str]:
    """The extras of tailrace that tasks may need."""
    return frozenset(_installed(OWN).metadata.get_all("Provides-Extra") or ()) - NOT_FOR_TASKS


def _installed(name: str) -> Distribution:
    try:
        return distribution(name)
    except PackageNotFoundError:
        raise ConfigError(f"{name} is not installed in this environment ({sys.prefix}): install it first") from None


def _collect(name: str, extras: frozenset[str], found: dict[str, Distribution]) -> None:
    """Add a distribution, and what it needs. What only another platform or Python needs is not installed, and left out."""
    one = found[_plain(name)] = _installed(name)
    for text in one.requires or ():
        wanted, _, marker = text.partition(";")
        extra = _EXTRA.search(marker)
        match = _REQUIREMENT.match(wanted.strip())
        if match is None or (extra is not None and extra[1] not in extras) or _plain(match["name"]) in found:
            continue
        more = frozenset(part.strip() for part in (match["extras"] or "").split(",") if part.strip())
        if marker and not _is_installed(match["name"]):
            continue
        _collect(match["name"], more, found)


def _files_of(one: Distribution) -> Iterator[tuple[str, Path]]:
    """The files of a distribution with their places in the archive."""
    if _is_editable(one):
        yield from _files_of_packages(one)
        return
    for each in one.files or ():
        place = PurePosixPath(each.as_posix())
        path = Path(str(one.locate_file(each)))
        if ".." not in place.parts and not _LEFT_OUT.match(str(place)) and path.is_file():
            yield str(place), path


def _files_of_packages(one: Distribution) -> Iterator[tuple[str, Path]]:
    """The same of tailrace, where it is installed as a folder of sources."""
    if _plain(one.name) != OWN:
        raise ConfigError(f"{one.name} is installed as a folder (editable), which can't be packed: install it as a wheel")
    for package in PACKAGES:
        spec = find_spec(package)
        folder = Path(spec.origin).parent if spec is not None and spec.origin is not None else None
        for path in sorted(folder.rglob("*")) if folder is not None else ():
            if path.is_file() and path.suffix != ".pyc":
                yield f"{package}/{path.relative_to(folder).as_posix()}", path  # type: ignore[arg-type]


def _is_editable(one: Distribution) -> bool:
    text = one.read_text("direct_url.json")
    return text is not None and bool(json.loads(text).get("dir_info", {}).get("editable"))


def _is_installed(name: str) -> bool:
    try:
        distribution(name)
    except PackageNotFoundError:
        return False
    return True


def _add_python(archive: tarfile.TarFile) -> None:
    major, minor = sys.version_info[:2]
    text = _PYTHON.format(version=f"{major}.{minor}", comma=f"{major}, {minor}", modules=MODULES).encode()
    program = tarfile.TarInfo("bin/python")
    program.size, program.mode = len(text), 0o755
    archive.addfile(program, io.BytesIO(text))


def _anonymous(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    """Without the owner; times stay, by which Python knows whether its compiled files are current."""
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    return entry


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
