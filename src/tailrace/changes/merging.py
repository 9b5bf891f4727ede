"""Merges records of several tables that go to the same topic, in log order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
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
    names = dict.fromkeys(name for item in items for name in _numbered(item))  # a record may have two headers of one name
    return Records(
        topic=items[0].topic,
        keys=_taken([item.keys for item in items], order),
        values=_taken([item.values for item in items], order),
        timestamps=np.concatenate([item.timestamps for item in items])[order],
        positions=_taken([item.positions for item in items], order),
        log_order=np.concatenate([item.log_order for item in items])[order],
        headers=tuple(_merged_header(items, name, order) for name in names),
        partition=items[0].partition,
    )


def _merged_header(items: Sequence[Records], name: tuple[str, int], order: npt.NDArray[np.integer]) -> Header:
    """The headers of that name and number; records that have none have a null without a header."""
    found = [_numbered(item).get(name) or Header(name[0], nulls(len(item))) for item in items]
    values = _taken([each.values for each in found], order)
    if all(each.nulls is None for each in found):
        return Header(name[0], values)
    masks = [np.zeros(len(each.values), np.bool_) if each.nulls is None else each.nulls for each in found]
    return Header(name[0], values, np.concatenate(masks)[order])


def _numbered(item: Records) -> dict[tuple[str, int], Header]:
    """The headers by their names, and by how many of the same name stand before them."""
    found: dict[tuple[str, int], Header] = {}
    counts: Counter[str] = Counter()
    for header in item.headers:
        found[header.name, counts[header.name]] = header
        counts[header.name] += 1
    return found


def _taken(columns: Sequence[Binary], order: npt.NDArray[np.integer]) -> Binary:
    from tailrace.changes.taking import taken  # compiled code, which planners do without

    return taken(columns, order)
