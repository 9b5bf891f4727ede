"""What happens to the tables of a scenario: SQL that both servers take, and the events that a consumer must see of it.

The events follow from what the story means to do, not from the log, so that they are no second reading of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Row = dict[str, Any]
Event = list[Any]  # operation, row before, row after


@dataclass
class Table:
    """A table: its rows as they are, and what came to pass, in order."""

    rows: dict[int, Row] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    read: list[Row] | None = None
    added: Row = field(default_factory=dict)


class Story:
    """Each method gives a statement, and notes what follows from it."""

    def __init__(self, *names: str) -> None:
        self.tables = {name: Table() for name in names}

    def create(self, name: str, *, keyed: bool = True) -> str:
        key = " PRIMARY KEY" if keyed else " NOT NULL"
        return f"CREATE TABLE {name} (id INT{key}, n INT, v VARCHAR(60))"

    def insert(self, name: str, ids: range | tuple[int, ...]) -> str:
        rows = [{"id": id_, "n": 0, "v": f"{name}{id_:04d}", **self.tables[name].added} for id_ in ids]
        for row in rows:
            self._note(name, "c", None, row)
        values = ", ".join(f"({row['id']}, {row['n']}, '{row['v']}')" for row in rows)
        return f"INSERT INTO {name} (id, n, v) VALUES {values}"

    def update(self, name: str, ids: range | tuple[int, ...]) -> str:
        rows = self.tables[name].rows
        for id_ in ids:
            self._note(name, "u", rows[id_], {**rows[id_], "n": rows[id_]["n"] + 1})
        return f"UPDATE {name} SET n = n + 1 WHERE id IN ({_list(ids)})"

    def delete(self, name: str, ids: range | tuple[int, ...]) -> str:
        for id_ in ids:
            self._note(name, "d", self.tables[name].rows[id_], None)
        return f"DELETE FROM {name} WHERE id IN ({_list(ids)})"

    def alter(self, name: str) -> str:
        table = self.tables[name]
        table.added = {"w": 7}
        table.rows = {id_: {**row, **table.added} for id_, row in table.rows.items()}
        return f"ALTER TABLE {name} ADD COLUMN w INT DEFAULT 7"

    def some(self, first: int, *names: str) -> list[str]:
        """An insert, updates and a delete in each of the tables, of which rows `first` and `first` + 1 are there."""
        statements = []
        for name in names or tuple(self.tables):
            statements += [self.insert(name, (first + 1000,)), self.update(name, (first, first + 1))]
            statements += [self.delete(name, (first,))]
        return statements

    def snapshot(self, *names: str) -> None:
        """The rows of now are what a snapshot has to tell; what happened before is not told."""
        for name in names or tuple(self.tables):
            table = self.tables[name]
            table.events.clear()
            table.read = list(table.rows.values())

    def forget(self) -> None:
        """A connector begins now."""
        for table in self.tables.values():
            table.events.clear()

    def expected(self) -> dict[str, Any]:
        """By table: the rows that are read (null: none), the changes, and the rows in the end."""
        return {
            name: {"read": table.read, "changes": table.events, "final": list(table.rows.values())}
            for name, table in self.tables.items()
        }

    def _note(self, name: str, op: str, before: Row | None, after: Row | None) -> None:
        table = self.tables[name]
        table.events.append([op, before, after])
        if before is not None:
            del table.rows[before["id"]]
        if after is not None:
            table.rows[after["id"]] = after


def _list(ids: range | tuple[int, ...]) -> str:
    return ", ".join(map(str, ids))
