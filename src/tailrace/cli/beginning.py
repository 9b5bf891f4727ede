"""What has to be in the environment before a command begins: some libraries read the one that the process was started with."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from tailrace.connectors.registry import SPECS
from tailrace.connectors.spec import Spec
from tailrace.object_paths import load_object

_LONGEST: Final = 1 << 20  # of a configuration


def begin_anew_if_needed(words: Sequence[str]) -> None:
    """Start this program again, as the same process, if the connector that its words name needs other variables."""
    lacking = lacking_for(words)
    if lacking:
        os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], {**os.environ, **lacking})  # noqa: S606


def lacking_for(words: Sequence[str]) -> dict[str, str]:
    """The variables that the connectors need that a command's words name, or its files."""
    found: dict[str, str] = {}
    for spec in named_in(words):
        if spec.environment is not None:
            found |= load_object(spec.environment)({**os.environ, **found})
    return found


def of_executors() -> Mapping[str, str]:
    """The same variables of this process, as settings of Spark for other machines."""
    needed = [load_object(spec.environment)({}) for spec in SPECS.values() if spec.environment is not None]
    return {f"spark.executorEnv.{name}": os.environ[name] for each in needed for name in each if name in os.environ}


def named_in(words: Sequence[str]) -> Iterator[Spec]:
    """The connectors that words name: by their own name, or as files with their class, as far as a glance can tell."""
    texts = [_text(Path(word)) for word in words]
    for spec in SPECS.values():
        short = re.escape(spec.connector_class.rpartition(".")[2])
        named = re.compile(rf"{short}\b|connector\.class[\"']?\s*[=:]\s*[\"']?{re.escape(spec.name)}\b")
        if spec.name in words or any(map(named.search, texts)):
            yield spec


def _text(path: Path) -> str:
    try:
        return path.read_text(errors="replace") if path.is_file() and path.stat().st_size < _LONGEST else ""
    except (OSError, ValueError):  # no file, which the command will say
        return ""
