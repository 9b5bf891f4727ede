"""Recognises queries of change tables that can be answered from their columns.

    SELECT columns FROM cdc.x_CT [LEFT JOIN cdc.lsn_time_mapping ON start_lsn = __$start_lsn]
    SELECT columns FROM cdc.fn_cdc_get_all_changes_x (from, to, option)

with TOP, conditions on the keys, and an order that the stored rows have; values are literals or variables.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from tailrace_standins.sqlserver.cdc.query_functions import ALL, ALL_OPTIONS
from tailrace_standins.sqlserver.cdc.shapes import COMMAND_ID, END_LSN, OPERATION, START_LSN
from tailrace_standins.sqlserver.cdc.transaction_log import is_change_table
from tailrace_standins.sqlserver.engine import tree
from tailrace_standins.sqlserver.engine.catalog import Column, Table
from tailrace_standins.sqlserver.engine.scope import Plan
from tailrace_standins.sqlserver.shortcuts import parts
from tailrace_standins.sqlserver.shortcuts.change_tables.columns import Block
from tailrace_standins.sqlserver.shortcuts.change_tables.conditions import comparison, key_name
from tailrace_standins.sqlserver.shortcuts.conditions import Test, UnreadableError, constant, test_of

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.session import EngineSession

MAPPING: Final = "lsn_time_mapping"
_TIMES: Final = frozenset(("tran_begin_time", "tran_end_time"))


@dataclass(frozen=True, slots=True)
class ResultColumn:
    """A column of the result: its name in lower case, whether it is from lsn_time_mapping, the part that is selected."""

    name: str
    of_mapping: bool = False
    part: str = ""


@dataclass(slots=True)
class Request:
    """A query that was recognised.

    Attributes:
        names: qualifiers of the change table, in lower case; "" for none.
        mapping, mapping_name: cdc.lsn_time_mapping if it is joined, and its name in the query.
        is_outer: whether rows without an entry in it are kept (LEFT JOIN).
        result_columns: the columns of the result.
        order: the keys of ORDER BY.

    """

    table: Table
    names: frozenset[str]
    is_function: bool
    mapping: Table | None
    is_outer: bool
    mapping_name: str = ""
    tests: list[Test[Block]] = field(default_factory=list)
    result_columns: list[ResultColumn] = field(default_factory=list)
    order: tuple[str, ...] = ()
    top: int | None = None


def recognised(session: EngineSession, query: tree.Select, plan: Plan) -> Request:
    """The request that a query is; raises `UnreadableError`."""
    request = _from(session, query, plan)
    request.result_columns, request.order = _result_column(query, request), _order(query)
    if len(request.result_columns) != len(plan.columns):
        raise UnreadableError
    if query.top is not None:
        request.top = constant(query.top, session.values)
        if type(request.top) is not int or request.top < 0:
            raise UnreadableError
    if query.where is not None:
        request.tests.append(test_of(query.where, _key_of(request), comparison, session.values))
    return request


def _from(session: EngineSession, query: tree.Select, plan: Plan) -> Request:
    if (
        query.distinct or query.group or query.having or query.into or query.common or query.offset is not None
        or query.fetch is not None or len(query.sources) != 1 or plan.views
    ):  # fmt: skip
        raise UnreadableError
    source, joined, condition, is_outer = _sources(query.sources[0])
    tables = {read.table.name.lower(): read.table for read in plan.reads}
    if len(plan.reads) != 1 + (joined is not None):
        raise UnreadableError
    table = next((each for each in tables.values() if is_change_table(each)), None)
    mapping = tables.get(MAPPING) if joined else None
    if table is None or (joined and (mapping is None or joined.names[-1].lower() != MAPPING)):
        raise UnreadableError
    name, is_function = _name(source, table)
    names = frozenset((source.alias.lower(),) if source.alias else ("", name))
    request = Request(table, names | {""}, is_function, mapping, is_outer)
    if isinstance(source, tree.TableCall):
        request.tests += _arguments(source.call.arguments, session)
    if joined is not None:
        request.mapping_name = (joined.alias or MAPPING).lower()
        _check_join(condition, request)
    return request


def _sources(
    source: tree.Source,
) -> tuple[tree.Table | tree.TableCall, tree.Table | None, tree.Expression | None, bool]:
    """The change table (or its function), the joined table, the join's condition, and whether it is outer."""
    match source:
        case tree.Table() | tree.TableCall(columns=()):
            return source, None, None, False
        case tree.Join(
            kind="LEFT" | "INNER" as kind,
            left=tree.Table() | tree.TableCall(columns=()) as left,
            right=tree.Table() as right,
            condition=condition,
        ):
            return left, right, condition, kind == "LEFT"
    raise UnreadableError


def _name(source: tree.Table | tree.TableCall, table: Table) -> tuple[str, bool]:
    if isinstance(source, tree.Table):
        if source.names[-1].lower() != table.name.lower():
            raise UnreadableError
        return table.name.lower(), False
    name = source.call.names[-1].lower()
    if name != f"{ALL}{table.name.lower().removesuffix('_ct')}" or len(source.call.arguments) != 3:
        raise UnreadableError
    return name, True


def _arguments(given: Sequence[tree.Expression], session: EngineSession) -> list[Test[Block]]:
    """The tests that the function's arguments mean."""
    low, high, option = given
    tests = [
        test_of(tree.Binary(sign, tree.Column((START_LSN,)), each), _start_only, comparison, session.values)
        for sign, each in ((">=", low), ("<=", high))
    ]
    text = constant(option, session.values)
    if not isinstance(text, str) or text.strip().lower() not in ALL_OPTIONS:
        raise UnreadableError
    if text.strip().lower() == "all":
        tests.append(lambda block: block.keys[OPERATION] != 3)
    return tests


def _start_only(node: tree.Expression) -> str | None:
    return START_LSN if isinstance(node, tree.Column) else None


def _key_of(request: Request) -> Callable[[tree.Expression], str | None]:
    """A function that returns the change table's key for a column."""

    def key_of(node: tree.Expression) -> str | None:
        if not isinstance(node, tree.Column) or _qualifier(node) not in request.names:
            return None
        return key_name(node.names[-1])

    return key_of


def _qualifier(node: tree.Column) -> str:
    return ".".join(node.names[:-1]).lower()


def _check_join(condition: tree.Expression | None, request: Request) -> None:
    """Check for ON mapping.start_lsn = change.__$start_lsn, in either order; raises `UnreadableError`."""
    if not isinstance(condition, tree.Binary) or condition.operator != "=":
        raise UnreadableError
    key_of = _key_of(request)
    sides = [condition.left, condition.right]
    ours = [side for side in sides if key_of(side) == START_LSN]
    theirs = [side for side in sides if _of_mapping(side, request) == "start_lsn"]
    if len(ours) != 1 or len(theirs) != 1:
        raise UnreadableError


def _of_mapping(node: tree.Expression, request: Request) -> str | None:
    """The name of a column of lsn_time_mapping; None if it is not from there."""
    if request.mapping is None or not isinstance(node, tree.Column):
        return None
    name, qualifier = node.names[-1].lower(), _qualifier(node)
    is_named = qualifier == request.mapping_name
    is_alone = not qualifier and name not in request.table.by_name
    return name if (is_named or is_alone) and name in request.mapping.by_name else None


def _result_column(query: tree.Select, request: Request) -> list[ResultColumn]:
    """The columns of the result."""
    found: list[ResultColumn] = []
    names = [item.alias.lower() for item in query.items if item.alias]
    if query.order and any(key_name(name) for name in names):
        raise UnreadableError
    for item in query.items:
        node = item.expression
        if isinstance(node, tree.Star) and not node.names and request.mapping is None:
            found += [ResultColumn(column.name.lower()) for column in _columns(request)]
        elif (name := _of_mapping(node, request)) is not None:
            found.append(ResultColumn(name, of_mapping=True))
        elif (zoned := _zoned(node, request)) is not None:
            found.append(zoned)
        elif isinstance(node, tree.Column) and _qualifier(node) in request.names:
            found.append(ResultColumn(node.names[-1].lower()))
        else:
            found.append(_part(node, request))
    return found


def _zoned(node: tree.Expression, request: Request) -> ResultColumn | None:
    """TODATETIMEOFFSET of a time in lsn_time_mapping with the offset of the server's time zone."""
    name = None
    match node:
        case tree.Call(names=names, arguments=[moment, tree.Call() as offset]):
            if names[-1].upper() == "TODATETIMEOFFSET" and parts.is_servers_offset(offset):
                name = _of_mapping(moment, request)
    return ResultColumn(name, of_mapping=True, part=parts.ZONED) if name in _TIMES else None


def _part(node: tree.Expression, request: Request) -> ResultColumn:
    """DATEPART of a column of the change table, or the bytes of a uniqueidentifier."""
    part, column = parts.requested_part(node)
    name = column.names[-1].lower()
    of = request.table.by_name.get(name)
    if of is None or _qualifier(column) not in request.names:
        raise UnreadableError
    parts.check(part, of.type)
    return ResultColumn(name, part=part)


def _columns(request: Request) -> list[Column]:
    hidden = {END_LSN, COMMAND_ID} if request.is_function else set()
    return [column for column in request.table.columns if column.name not in hidden]


def _order(query: tree.Select) -> tuple[str, ...]:
    found = []
    for item in query.order:
        node = item.expression
        key = key_name(node.names[-1]) if isinstance(node, tree.Column) and not item.descending else None
        if key is None:
            raise UnreadableError
        found.append(key)
    return tuple(found)
