"""Recognises queries of one table whose conditions and order are those of a unique key.

So are the ones that connectors ask of large tables: a change table up to a synchpoint, also with Debezium's LEAD and LAG over
the rows of a transaction, and a table as a whole or by chunks of its key.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from tailrace_standins.db2.engine import convert, tree, types
from tailrace_standins.db2.engine.compiling.calls import AGGREGATES
from tailrace_standins.db2.session import SqlError
from tailrace_standins.db2.shortcuts.ranges import COMPARED, Compared, Condition, Joined, UnreadableError

if TYPE_CHECKING:
    from tailrace_standins.db2.engine.catalog import Column, Database, Table
    from tailrace_standins.db2.session import Column as Parameter
    from tailrace_standins.db2.values import SqlType
    from tailrace_standins.storage.sessions import Stored

_CHANGEABLE: Final = (tree.Parameter, tree.Special, tree.Scalar, tree.Exists)
_TURNED: Final = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_FEW: Final = 1000  # rows of FETCH FIRST, for which SQLite is fast


@dataclass(frozen=True, slots=True)
class Recognised:
    """A query that was recognised.

    Attributes:
        table: that it reads.
        key: the columns by which its rows are ordered; none for a table without a unique key.
        source: the table in FROM.
        items: its select list.
        where: its condition, on the key alone.
        fetch: how many rows it wants at most.

    """

    table: Table
    key: tuple[Column, ...]
    source: tree.Table
    items: tuple[tree.Item, ...]
    where: tree.Expression | None
    fetch: tree.Expression | None

    def whole(self) -> tree.Query:
        """The query of all rows, in the order of the key, with the key's columns behind those of the select list."""
        named = self.source.alias or self.source.names[-1]
        columns = [tree.Column((named, column.name)) for column in self.key]
        items = (*self.items, *(tree.Item(each) for each in columns))
        return tree.Query(tree.Select(items, (self.source,)), order=tuple(tree.Order(each) for each in columns))


def recognised(statement: tree.SelectStatement, database: Database, names: tuple[str, str]) -> Recognised | None:
    """The query, if it is one of those; `names` are schema and name of its table."""
    query, body = statement.query, statement.query.body
    if not isinstance(body, tree.Select) or query.common or query.offset is not None:
        return None
    if body.distinct or body.group or body.having is not None or len(body.sources) != 1:
        return None
    source, table = body.sources[0], database.tables.get(names)
    if not isinstance(source, tree.Table) or source.columns or table is None:
        return None
    if isinstance(query.fetch, tree.Literal) and int(query.fetch.value or 0) < _FEW:
        return None
    if not all(_is_steady(item.expression, database) for item in body.items):
        return None
    named = source.alias or source.names[-1]
    try:
        used = [_column(node, named) for node in _nodes(body.where, tree.Column)]
        ordered = [_ordered(each, named, body.items) for each in query.order]
    except UnreadableError:
        return None
    key = _key(table, used, ordered)
    if key is None or not _windows_are_whole(body, key, used, named):
        return None
    return Recognised(table, key, source, body.items, body.where, query.fetch)


def _nodes(node: object, kind: type[Any]) -> Iterator[Any]:
    """All parts of a tree that are of a kind."""
    if isinstance(node, kind):
        yield node
    if isinstance(node, tuple):
        for each in node:
            yield from _nodes(each, kind)
    elif is_dataclass(node):
        for each in fields(node):
            yield from _nodes(getattr(node, each.name), kind)


def _is_steady(node: tree.Expression, database: Database) -> bool:
    """Whether an expression gives the same for a row whenever it is computed, and for each row one."""
    if any(True for kind in _CHANGEABLE for _ in _nodes(node, kind)) or any(True for _ in _nodes(node, tree.Query)):
        return False
    calls = list(_nodes(node, tree.Call))
    return not any(each.names in database.functions or (each.names[-1] in AGGREGATES and each.window is None) for each in calls)


def _column(node: tree.Column, named: str) -> str:
    """A column's name; raises `UnreadableError` if its qualifier is not the table's."""
    if len(node.names) > 2 or (len(node.names) == 2 and node.names[0] != named):
        raise UnreadableError
    return node.names[-1]


def _ordered(order: tree.Order, named: str, items: tuple[tree.Item, ...]) -> str:
    """The column of an item of ORDER BY; raises `UnreadableError` if it is another expression."""
    node = order.expression
    if order.descending or order.nulls or not isinstance(node, tree.Column):
        raise UnreadableError
    name = _column(node, named)
    if any(item.alias == name and item.expression != node for item in items):
        raise UnreadableError
    return name


def _key(table: Table, used: list[str], ordered: list[str]) -> tuple[Column, ...] | None:
    """The unique key that has the columns of the condition and begins with those of the order; None: there is none."""
    for index in sorted(table.indexes, key=lambda each: each.kind):
        columns = tuple(table.by_id(column) for column, _ in index.columns)
        names = [column.name for column in columns]
        if index.kind == "D" or any(down for _, down in index.columns) or any(column.nullable for column in columns):
            continue
        if set(used) <= set(names) and names[: len(ordered)] == ordered:
            return columns
    return None if used or ordered else ()


def _windows_are_whole(body: tree.Select, key: tuple[Column, ...], used: list[str], named: str) -> bool:
    """Whether window functions see the same rows as without the condition: those of one value of the key's first column."""
    windows = [window for item in body.items for window in _nodes(item.expression, tree.Window)]
    if not windows:
        return True
    first = key[0].name if key else ""
    partitions = {window.partition for window in windows}
    return set(used) <= {first} and partitions <= {(tree.Column((first,)),), (tree.Column((named, first)),)}


def condition_of(
    found: Recognised, parameters: tuple[Parameter, ...], values: dict[str, Stored]
) -> Condition | None:
    """The condition with its constants; raises `UnreadableError` for one that is no comparison of the key with constants."""
    if found.where is None:
        return None
    return _Reader(found, parameters, values).condition(found.where)


class _Reader:
    def __init__(self, found: Recognised, parameters: tuple[Parameter, ...], values: dict[str, Stored]) -> None:
        self._places = {column.name: place for place, column in enumerate(found.key)}
        self._key = found.key
        self._parameters = parameters
        self._values = values

    def condition(self, node: tree.Expression) -> Condition:
        """A condition."""
        match node:
            case tree.Binary(operator="AND" | "OR" as word, left=left, right=right):
                return Joined(word, (self.condition(left), self.condition(right)))
            case tree.Unary(operator="NOT", operand=operand):
                return Joined("NOT", (self.condition(operand),))
            case tree.Between(operand=tree.Column() as column, low=low, high=high, negated=negated):
                both = Joined("AND", (self._compared(column, ">=", low), self._compared(column, "<=", high)))
                return Joined("NOT", (both,)) if negated else both
            case tree.Binary(operator=sign, left=tree.RowValue(values=left), right=tree.RowValue(values=right)):
                return self._rows(sign, left, right)
            case tree.Binary(operator=sign, left=tree.Column() as column, right=other) if sign in COMPARED:
                return self._compared(column, sign, other)
            case tree.Binary(operator=sign, left=other, right=tree.Column() as column) if sign in COMPARED:
                return self._compared(column, _TURNED.get(sign, sign), other)
        raise UnreadableError

    def _rows(self, sign: str, left: tuple[tree.Expression, ...], right: tuple[tree.Expression, ...]) -> Condition:
        """A comparison of rows, column by column."""
        if sign not in COMPARED or len(left) != len(right) or not isinstance(left[0], tree.Column):
            raise UnreadableError
        first = self._compared(left[0], sign, right[0])
        if len(left) == 1:
            return first
        rest, same = self._rows(sign, left[1:], right[1:]), self._compared(left[0], "=", right[0])
        if sign in {"=", "<>"}:
            return Joined("AND" if sign == "=" else "OR", (first, rest))
        return Joined("OR", (self._compared(left[0], sign[0], right[0]), Joined("AND", (same, rest))))

    def _compared(self, column: tree.Column, sign: str, other: tree.Expression) -> Compared:
        place = self._places[column.names[-1]]
        of = self._key[place].type
        return Compared(place, sign, keyed(of)(self._constant(other, of)))

    def _constant(self, node: tree.Expression, of: SqlType) -> Stored:
        value: Stored = None
        if isinstance(node, tree.Parameter) and _fits(self._parameters[node.number].type, of):
            value = self._values[f"p{node.number}"]
        elif isinstance(node, tree.Literal) and node.type is not None and _fits(node.type, of):
            value = node.value
        elif isinstance(node, tree.Cast) and node.type.name in types.WHOLE and of.name in types.WHOLE:
            value = _cast(node)
        if value is None or isinstance(value, bool):
            raise UnreadableError
        return value


def _cast(node: tree.Cast) -> Stored:
    """A whole number that is cast to a type of whole numbers, in whose range it is."""
    match node.operand:
        case tree.Literal(value=int() as number):
            pass
        case tree.Unary(operator="-", operand=tree.Literal(value=int() as number)):
            number = -number
        case _:
            raise UnreadableError
    try:
        return convert.encoded(number, node.type)
    except SqlError as error:
        raise UnreadableError from error


def _fits(given: SqlType, of: SqlType) -> bool:
    """Whether a constant of this type is compared as it is stored."""
    if given == of:
        return True
    if types.is_text(given) and types.is_text(of):
        return True
    return (given.name in types.WHOLE and of.name in types.WHOLE) or (types.is_binary(given) and types.is_binary(of))


def keyed(of: SqlType) -> Any:
    """What makes a stored value of a type comparable, in the order of the database."""
    if types.is_text(of):
        return _without_blanks
    return Decimal if types.is_exact(of) else _itself


def _without_blanks(value: str) -> str:
    return value.rstrip(" ")


def _itself(value: Any) -> Any:
    return value
