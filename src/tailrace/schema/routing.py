"""The routing: the function from a table to the topic of its changes.

The topic decides which lane delivers a table (`connectors/base.Lane`). If lanes are at different positions, their progress is
valid only with the routing under which it was made: with another one a table would continue in a lane that is behind or
ahead of its previous lane, and changes would be repeated or lost. A sink with several lanes therefore stores the routing with
their progress, as JSON.

Everything that decides a table's topic before its rows are decoded belongs here. The default of a member that a stored
routing lacks must be the behaviour from before that member existed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import asdict, fields_dict, frozen

from tailrace.errors import ProgressError
from tailrace.schema.tables import TableId
from tailrace.schema.topic_renames import TopicRename


@frozen
class Routing:
    """How the topics of tables are named.

    Attributes:
        delimiter: between the parts of a name (`topic.delimiter`).
        names_database: whether the database is one of the parts; Debezium leaves it out where a connector reads only one.
        renames: what transforms make of topics, in order.

    """

    delimiter: str = "."
    names_database: bool = True
    renames: tuple[TopicRename, ...] = ()

    def topic(self, prefix: str, table: TableId) -> str:
        """The topic of a table's changes, before characters are replaced that Kafka does not allow."""
        parts = (prefix, table.catalog if self.names_database else "", table.schema, table.name)
        return self.delimiter.join(part for part in parts if part.strip())

    def delivered(self, topic: str) -> str:
        """The topic behind the transforms."""
        for rename in self.renames:
            topic = rename.renamed(topic)
        return topic

    def to_dict(self) -> dict[str, Any]:
        """The routing as JSON."""
        stored = asdict(self)
        if not self.renames:  # so that a version before there were renames can go on
            del stored["renames"]
        return stored

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Routing:
        """The routing that `to_dict` gave.

        Raises:
            ProgressError: it has unknown members, which a newer version of tailrace wrote.

        """
        if unknown := sorted(set(given) - set(fields_dict(cls))):
            raise _newer(unknown)
        try:
            renames = tuple(TopicRename.from_dict(each) for each in given.get("renames", ()))
        except KeyError as error:
            raise _newer([str(error.args[0])]) from None
        return cls(**{**given, "renames": renames})


def _newer(unknown: Sequence[str]) -> ProgressError:
    return ProgressError(
        f"the progress says that topics were named by {', '.join(unknown)}, which this version of tailrace does not "
        "know: a newer one wrote it; go on with that"
    )
