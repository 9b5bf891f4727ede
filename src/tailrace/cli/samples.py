"""`--samples`: whether `tailrace check` shows what transforms do to sample events, and how much of it."""

from __future__ import annotations

import enum
import json
import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

from tailrace import transforms
from tailrace.config.documents import flatten
from tailrace.config.entries import SHORTEST_HIDDEN
from tailrace.config.placeholders import PlaceholderError, fill
from tailrace.config.problems import Problems
from tailrace.config.settings import Settings
from tailrace.errors import TailraceError

_NUMBER: Final = re.compile(r"[+-]?0*([0-9][0-9.eE+-]*)")


class Samples(enum.StrEnum):
    """How much is shown: nothing; one table whole and of the others topic and key; all."""

    NONE = "none"
    SHORT = "short"
    ALL = "all"


def wanted(asked: Samples | None, settings: Settings, *, is_alone: bool) -> bool:
    """Whether samples are shown: if that was asked for, or for one configuration that has transforms."""
    if asked is None:
        return is_alone and bool(settings.transform_chain)
    return asked is not Samples.NONE


def sample_lines(
    settings: Settings, document: Mapping[str, Any], asked: Samples | None, *, offline: bool
) -> Sequence[str]:
    """The lines. What can't be shown is said in one."""
    from tailrace.cli.sample_chain import sample_tables  # compiled code, which other checks do without
    from tailrace.cli.sample_lines import lines_of

    hide = _Hiding(document)
    try:
        with _silent_transforms():
            return list(lines_of(sample_tables(settings, offline=offline, everything=asked is Samples.ALL), hide))
    except TailraceError as error:
        return [hide(f"what the transforms do can't be shown: {error}")]


def sample_json(settings: Settings, document: Mapping[str, Any], asked: Samples | None) -> Mapping[str, Any]:
    """The same for programs, without a server."""
    from tailrace.cli.sample_chain import sample_tables  # as above
    from tailrace.cli.sample_lines import as_json

    hide = _Hiding(document)
    try:
        with _silent_transforms():
            return as_json(sample_tables(settings, offline=True, everything=asked is Samples.ALL), hide)
    except TailraceError as error:
        return {"failure": hide(str(error))}


@contextmanager
def _silent_transforms() -> Iterator[None]:
    """A context in which transforms log nothing: what they do to made-up rows is shown, and is no news of a real one."""
    logger = logging.getLogger(transforms.__name__)
    before = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(before)


class _Hiding:
    """Shows the placeholder instead of what it brought in, which may be a secret that a transform puts into records."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        filled: dict[str, str] = {}
        for text in flatten(document, Problems()).values():
            try:
                fill(text, filled)
            except PlaceholderError:
                continue  # it can't be had here, so it is in no record
        texts = {form: placeholder for value, placeholder in filled.items() for form in _forms(value)}
        self._shown = {value: texts[value] for value in sorted(texts, key=len, reverse=True) if len(value) >= SHORTEST_HIDDEN}

    def __call__(self, text: str) -> str:
        for value, placeholder in self._shown.items():
            text = text.replace(value, placeholder)
        return text


def _forms(value: str) -> Iterator[str]:
    """How a value may stand in a record: as it is, without space around it, within JSON, or as the number that begins it."""
    for each in (value, value.strip()):
        yield from (each, json.dumps(each)[1:-1], json.dumps(each, ensure_ascii=False)[1:-1])
    if number := _NUMBER.match(value.strip()):  # all that a header's literal takes of some texts
        yield number[1]
