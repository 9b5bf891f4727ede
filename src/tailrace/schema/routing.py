"""The routing: which topic a table's changes go to.

It is worked out from a few properties of the configuration, and it is all that decides which lane delivers a table
(`connectors/base.Lane`). So lanes that stand at different positions can be understood only by the routing under which they
came there: under another one a table would go on in a lane that is behind or ahead of the one that had it. A sink with
several lanes stores it with their progress, as JSON from which the same function can be made again.

Whatever else comes to decide a table's topic before its rows are decoded belongs here. A member that a stored routing lacks
has the value that stands for what was done before there was such a member.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import asdict, fields_dict, frozen

from tailrace.errors import ProgressError
from tailrace.schema.tables import TableId


@frozen
class Routing:
    """How the topics of tables are named.

    Attributes:
        delimiter: what stands between the parts of a name.
        names_database: whether the database is one of them.

    """

    delimiter: str = "."
    names_database: bool = True

    def topic(self, prefix: str, table: TableId) -> str:
        """The topic of a table's changes, before what Kafka does not allow in a name is replaced."""
        parts = (prefix, table.catalog if self.names_database else "", table.schema, table.name)
        return self.delimiter.join(part for part in parts if part.strip())

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Routing:
        """From what `to_dict` gave.

        Raises:
            ProgressError: it has something that is not known here.

        """
        if unknown := sorted(set(given) - set(fields_dict(cls))):
            raise ProgressError(
                f"the progress says that topics were named by {', '.join(unknown)}, which this version of tailrace does not "
                "know: a newer one wrote it; go on with that"
            )
        return cls(**given)
