"""What has to be in the environment before a command begins: some libraries read the one that the process was started with."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from tailrace.connectors.registry import SPECS
from tailrace.connectors.spec import Spec
from tailrace.object_paths import load_object

_LONGEST: Final = 1 << 24  # of a file with configurations
_BEGUN_ANEW: Final = "TAILRACE_BEGUN_ANEW"
"""Has the number of the process that was: where something else sets its variables each time, it begins anew once."""


def begin_anew_if_needed(words: Sequence[str]) -> None:
    """Start this program again, as the same process, if the connector that its words name needs other variables."""
    lacking = lacking_for(words)
    if lacking and os.environ.get(_BEGUN_ANEW) != str(os.getpid()):
        variables = {**os.environ, **lacking, _BEGUN_ANEW: str(os.getpid())}
        with suppress(OSError):  # it goes on without them, and the connector warns
            os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], variables)  # noqa: S606


def lacking_for(words: Sequence[str]) -> dict[str, str]:
    """The variables that the connectors need that a command's words name, or its files."""
    found: dict[str, str] = {}
    for spec in named_in(words):
        if spec.environment is not None:
            found |= load_object(spec.environment)({**os.environ, **found})
    return found


def of_executors() -> Mapping[str, str]:
    """The same variables for other machines, as settings of Spark, where this process has them."""
    needs = [load_object(spec.environment) for spec in SPECS.values() if spec.environment is not None]
    names = [name for lacking in needs if not lacking(os.environ) for name in lacking({})]
    return {f"spark.executorEnv.{name}": os.environ[name] for name in names}


def named_in(words: Sequence[str]) -> Iterator[Spec]:
    """The connectors that words name: by their own name, or as files with their class, as far as a glance can tell."""
    plain = {word.rpartition("=")[2].lower() for word in words}
    texts = [text_of(word) for word in words]
    for spec in SPECS.values():
        names = {each.lower() for each in (spec.name, *spec.other_names)}
        any_name = "|".join(map(re.escape, names))
        short = re.escape(spec.connector_class.rpartition(".")[2])
        # also as a property of Java's files, and as Strimzi's resource has it
        named = re.compile(rf"(?i)\b{short}\b|\bclass[\"']?\s*[=:\s]\s*[\"']?(?:{any_name})\b")
        if names & plain or any(map(named.search, texts)):
            yield spec


def text_of(word: str) -> str:
    """The text of the regular file of that name, else nothing: a pipe's is left to who needs it."""
    path = Path(word)
    try:
        is_small = not word.startswith("/dev/") and path.is_file() and path.stat().st_size < _LONGEST
        return path.read_text(errors="replace") if is_small else ""
    except (OSError, ValueError):  # no file, which the command will say
        return ""
