"""Whether topics keep the names of before until lanes that stand apart have come to one position.

Other transforms may give topics other names. Till then each table stays in its lane, so that its changes stay in order under
any name. But two lanes must not write to one topic: the one that is behind would put older changes there behind newer ones, and
a row that went from one table to the other would end as it was before. Nor would names come right that transforms make of
names which are to change themselves.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from attrs import evolve

from tailrace.connectors.base import Lane
from tailrace.schema.names import Names, sanitized_topic
from tailrace.schema.routing import Routing

if TYPE_CHECKING:
    from tailrace.config.settings import Settings
    from tailrace.schema.tables import TableId


def are_kept(settings: Settings, recorded: Routing, lanes: int, tables: Callable[[], Iterable[TableId]]) -> bool:
    """Whether they are.

    Args:
        settings: the configuration, with its own routing.
        recorded: the routing under which the lanes stand apart.
        lanes: how many there are.
        tables: gives those that are captured; only asked where it matters.

    """
    if _by_content(settings):
        return False
    configured = settings.routing
    if evolve(configured, renames=()) != evolve(recorded, renames=()):
        return True
    if lanes == 1 or configured == recorded:
        return False
    return _share_topics(settings, recorded, lanes, tables())


def _by_content(settings: Settings) -> bool:
    """Whether topics follow from what records contain, so that no table has one."""
    if not settings.transform_chain:
        return False
    from tailrace.transforms.configured import routing_of  # only with transforms

    return routing_of(settings.transform_chain) is None


def _share_topics(settings: Settings, recorded: Routing, lanes: int, tables: Iterable[TableId]) -> bool:
    """Whether two of the lanes write to one topic, under names of before or of now."""
    of_before = Names(evolve(settings, routing=recorded))
    writers: defaultdict[str, set[int]] = defaultdict(set)
    for table in tables:
        lane = next(number for number in range(lanes) if of_before.is_of(Lane(number, lanes), table))
        topic = sanitized_topic(recorded.topic(settings.topic_prefix, table))
        for routing in (recorded, settings.routing):
            writers[routing.delivered(topic)].add(lane)
    return any(len(each) > 1 for each in writers.values())
