"""Merges records of several tables that go to the same topic, in log order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from tailrace.changes.records import Binary, Header, Records, nulls


def in_log_order(records: Sequence[Records]) -> list[Records]:
    """The records, in log order within each topic and partition; only batches that overlap are merged, which copies them."""
    by_topic: dict[tuple[str, int | None], list[Records]] = {}
    for item in records:
        by_topic.setdefault((item.topic, item.partition), []).append(item)
    if len(by_topic) == len(records):
        return list(records)
    return [item for items in by_topic.values() for item in ([merged(items)] if _overlap(items) else items)]


def _overlap(items: Sequence[Records]) -> bool:
    return any(before.log_order[-1] > after.log_order[0] for before, after in pairwise(items))


def merged(items: Sequence[Records]) -> Records:
    """All records of one topic and partition, in log order; those of the same rank stay in the order of `items`."""
    # stable: the records of one change, such as a delete and its tombstone, have the same rank and must keep their order
    order = np.argsort(np.concatenate([item.log_order for item in items]), kind="stable")
    return Records(
        topic=items[0].topic,
        keys=_taken([item.keys for item in items], order),
        values=_taken([item.values for item in items], order),
        timestamps=np.concatenate([item.timestamps for item in items])[order],
        positions=_taken([item.positions for item in items], order),
        log_order=np.concatenate([item.log_order for item in items])[order],
        headers=tuple(_merged_header(items, each, order) for each in _columns_of_headers(items)),
        partition=items[0].partition,
    )


@dataclass(frozen=True, slots=True)
class _Column:
    """A header of the merged records.

    Attributes:
        name: its name.
        of_items: where it is among the headers of an item, by the item's number; the others have none.

    """

    name: str
    of_items: dict[int, int] = field(default_factory=dict)


def _columns_of_headers(items: Sequence[Records]) -> list[_Column]:
    """Columns for the headers of all, so that each record's are in their order; a name may come more than once."""
    found: list[_Column] = []
    of_names: dict[tuple[str, ...], list[_Column]] = {}  # most items have the same ones
    for number, item in enumerate(items):
        names = tuple(header.name for header in item.headers)
        if names not in of_names:
            of_names[names] = _placed(found, names)
        for place, column in enumerate(of_names[names]):
            column.of_items[number] = place
    return found


def _placed(found: list[_Column], names: Sequence[str]) -> list[_Column]:
    """The columns of headers in this order; those that are not there yet are inserted."""
    begin, own = 0, []
    for name in names:
        at = next((i for i in range(begin, len(found)) if found[i].name == name), None)
        if at is None:
            found.insert(at := begin, _Column(name))
        own.append(found[at])
        begin = at + 1
    return own


def _merged_header(items: Sequence[Records], column: _Column, order: npt.NDArray[np.integer]) -> Header:
    """The headers of a column; records that have none have a null without a header."""
    found = [
        item.headers[column.of_items[i]] if i in column.of_items else Header(column.name, nulls(len(item)))
        for i, item in enumerate(items)
    ]
    values = _taken([each.values for each in found], order)
    if all(each.nulls is None for each in found):
        return Header(column.name, values)
    masks = [np.zeros(len(each.values), np.bool_) if each.nulls is None else each.nulls for each in found]
    return Header(column.name, values, np.concatenate(masks)[order])


def _taken(columns: Sequence[Binary], order: npt.NDArray[np.integer]) -> Binary:
    from tailrace.changes.taking import taken  # compiled code, which planners do without

    return taken(columns, order)
