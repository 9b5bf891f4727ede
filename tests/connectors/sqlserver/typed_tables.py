"""Tables of a test's database, read as the connector reads them: values as the JSON that consumers get."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from tailrace.changes.layouts import Layout, Struct
from tailrace.changes.records import binary_of
from tailrace.changes.source_records import EventKind, SourceRecords, every_record
from tailrace.changes.vectors import Vector
from tailrace.config.settings import Settings
from tailrace.connectors.load import from_mapping
from tailrace.connectors.shared.arrow_values.selected import ColumnType
from tailrace.connectors.shared.arrow_values.vectors import vectors
from tailrace.connectors.shared.column_policies import column_policies
from tailrace.connectors.sqlserver import structures
from tailrace.connectors.sqlserver.connection import Session, quoted
from tailrace.connectors.sqlserver.types import column_types, fields
from tailrace.encoding.connect_json import schema_json
from tailrace.encoding.json import JsonEncoder, JsonFormat
from tailrace.events.shape import flat, struct_fields
from tailrace.schema.connect import Field, Schema, Type
from tailrace.schema.tables import Table, TableId
from tailrace_standins.servers.sqlserver_server import Database

BATCH = 100
WITHOUT_SCHEMAS = JsonFormat(schemas=False, defaults=False)


def settings_of(database: Database, **more: str) -> Settings:
    """A connector's settings; in `more` an underscore stands for a dot."""
    return from_mapping(database.properties(**more))


def session_of(database: Database) -> Session:
    """A session in the test's database."""
    return Session(database.server.connect(database.name), database.name, "the test's server")


def table_of(database: Database, name: str) -> Table:
    """A table's structure."""
    with session_of(database) as session:
        found = structures.tables(session, database.name, lambda table: table.name == name)
    return found[TableId(database.name, "dbo", name)]


def shown(database: Database, source: str, table: Table, settings: Settings, where: str = "1 = 1") -> list[dict[str, Any]]:
    """The rows of a table or change table (`dbo.t`, `cdc.dbo_t_CT`) in the order of their key, as JSON shows them."""
    types = [each for each in column_types(table, settings) if each is not None]
    columns = [expression for each in types for expression in each.select(f"c.{quoted(each.name)}")]
    sql = f"SELECT {', '.join(columns)} FROM {source} AS c WHERE {where} ORDER BY c.{quoted(table.primary_key[0])}"
    rows: list[dict[str, Any]] = []
    policies = column_policies(table, column_types(table, settings), fields(column_types(table, settings)))
    by_name = {table.columns[i].name: policy for i, policy in policies.items()}
    with session_of(database) as session:
        for batch in session.batches(sql, rows=BATCH):
            found = zip(types, vectors(batch.columns, types), strict=True)
            rows += rendered(types, [by_name.get(each.name, _as_it_is)(vector) for each, vector in found])
    return rows


def _as_it_is(vector: Vector) -> Vector:
    return vector


def rendered(types: Sequence[ColumnType], columns: Sequence[Vector]) -> list[dict[str, Any]]:
    """Vectors as rows of JSON."""
    n = columns[0].length
    schema = Schema(Type.STRUCT, fields=tuple(Field(each.name, each.key) for each in types))
    layout = Layout(Struct(schema, struct_fields(schema, columns, 0, 0)))
    order = np.arange(n)
    records = SourceRecords(
        EventKind.ROWS, "t", None, layout, flat(columns), every_record(n), order, binary_of([b""] * n), order
    )
    found = JsonEncoder(WITHOUT_SCHEMAS, WITHOUT_SCHEMAS, WITHOUT_SCHEMAS).encode(records).values
    return [json.loads(found[i] or b"null") for i in range(n)]


def fields_of(table: Table, settings: Settings) -> dict[str, dict[str, Any]]:
    """The schema of each column's field as JSON."""
    return {each.name: json.loads(schema_json(each.value)) for each in column_types(table, settings) if each is not None}
