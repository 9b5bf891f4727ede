"""Transforms that users write in Python, as specs beside those of Java's classes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from tailrace.changes.source_records import Mask, SourceRecords
from tailrace.custom_transforms.interface import ConnectRecords, RecordsFailedError
from tailrace.errors import TransformError
from tailrace.python_objects import kind_and_place, load_callable, refusal
from tailrace.transforms.python_records import Conversion, connect_records
from tailrace.transforms.spec import ByContent, Making, Options, Topics, TransformSpec


def python_spec(type_: str) -> TransformSpec:
    """The spec of `python:package.module.Name`; what it names is imported when it is made."""
    return TransformSpec(
        name=type_,
        doc="A transform in Python.",
        make=partial(PythonTransform, type_=type_),
        topics=partial(_topics, type_),
        takes_any_option=True,
    )


def _topics(type_: str, _options: Options) -> Topics:
    return None if _keeps_topics(load_callable(type_, 1)) else ByContent()


def _keeps_topics(named: Callable[..., Any]) -> bool:
    return getattr(named, "keeps_topics", False) is True


class PythonTransform:
    """The `Transform`."""

    def __init__(self, making: Making, *, type_: str, options: Mapping[str, str]) -> None:
        """Raises `ValueError` if the user's can't be imported or made."""
        named = load_callable(type_, 1)
        try:
            self._transform = named(dict(options))
        except Exception as error:  # noqa: BLE001 -- the class is the user's, and the text may have an option's value
            raise ValueError(f"{type_} can't be made of its options: {refusal(error, options)}") from None
        if not callable(self._transform):
            raise ValueError(f"what {type_} makes can't be called with records")  # noqa: TRY004 -- one error for all
        self._keeps_topics = _keeps_topics(named)
        self._failures = making.failures
        self._conversion = Conversion()

    def __call__(self, records: SourceRecords) -> Sequence[SourceRecords]:
        """The transformed records."""
        given = connect_records(records)
        try:
            made = self._transform(given)
            results = [made] if isinstance(made, ConnectRecords) else list(made)
        except RecordsFailedError as error:
            return self._without_failed(records, error)
        except Exception as error:  # noqa: BLE001 -- the text of another's error may have a value of a record
            raise TransformError(f"{self._failures.where(records)}: {kind_and_place(error)} in it") from None
        try:
            return [self._checked(self._conversion.source_records(each, given, records), records) for each in results]
        except (ValueError, TypeError, pa.ArrowException) as error:
            is_ours = isinstance(error, ValueError) and not isinstance(error, pa.ArrowException)  # whose text has a value
            why = str(error) if is_ours else type(error).__name__
            raise TransformError(f"{self._failures.where(records)}: {why}") from None

    def _checked(self, made: SourceRecords, records: SourceRecords) -> SourceRecords:
        if self._keeps_topics and made.topic != records.topic:
            raise ValueError(f"it has keeps_topics, and its records are for the topic {made.topic}")
        return made

    def _without_failed(self, records: SourceRecords, error: RecordsFailedError) -> Sequence[SourceRecords]:
        failed: Mask = np.asarray(error.failed.to_numpy(zero_copy_only=False), np.bool_)
        if len(failed) != len(records) or not failed.any():
            raise TransformError(f"{self._failures.where(records)}: RecordsFailedError names none of its records") from error
        rest = self._failures.without(records, failed, error.why)
        return self(rest) if len(rest) else ()
