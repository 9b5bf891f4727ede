"""The same rows from both sides: selected, and from the row events that made them."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from support.mysql_settings import settings_for
from tailrace.config.settings import Settings
from tailrace.connectors.mysql import catalog
from tailrace.connectors.mysql import connection as mysql
from tailrace.connectors.mysql.log.table_map import TableMap, parse_table_map
from tailrace.connectors.mysql.rows import RowDecoder, RowImages
from tailrace.connectors.mysql.selecting import Selection, plan_selection, raw_key_plans
from tailrace.connectors.mysql.structures import Structures
from tailrace.connectors.mysql.types import column_type
from tailrace.schema.tables import Table, TableId
from tailrace.snapshot.key_bytes import key_bytes

ROW_EVENTS = (30, 31, 32, 39)
TABLE_MAP = 19
HEADER, CHECKSUM = 19, 4

Row = tuple[Any, ...]


@dataclass
class Logged:
    """The row events of a table."""

    data: np.ndarray
    table_map: TableMap | None = None
    places: list[tuple[int, int, int]] = field(default_factory=list)

    def images(self, plans: list) -> RowImages:
        body, end, kinds = np.array(self.places, np.int64).reshape(-1, 3).T
        return RowDecoder(plans).decode(self.data, body.copy(), end.copy(), kinds.copy(), limit=1 << 20)


class Database:
    """A fresh database: statements are run, and its log from then on is kept apart."""

    def __init__(self, server, name: str) -> None:
        self.server = server
        self.name = name
        with mysql.connect(settings_for(server)) as session:
            mysql.execute(session, "FLUSH BINARY LOGS")
            self.file = catalog.head(session, catalog.server(session)).file

    def run(self, sql: str) -> None:
        self.server.sql(f"SET sql_mode = 'ALLOW_INVALID_DATES'; {sql}", self.name)

    def structure(self, table: str) -> Table:
        ((_, ddl),) = self.server.sql(f"SHOW CREATE TABLE `{table}`", self.name)
        structures = Structures()
        structures.apply(self.name, ddl)
        return structures[TableId(self.name, "", table)]

    def tables(self) -> list[str]:
        return [name for (name,) in self.server.sql("SHOW TABLES", self.name)]

    def log(self) -> np.ndarray:
        connection = self.server.connect()
        try:
            return np.frombuffer(_dumped(connection, self.file), np.uint8)
        finally:
            connection._force_close()

    def logged(self, table: str, data: np.ndarray) -> Logged:
        found = Logged(data)
        numbers: set[bytes] = set()
        o = 4
        while o + HEADER <= len(data):
            kind, size = int(data[o + 4]), int.from_bytes(data[o + 9 : o + 13].tobytes(), "little")
            body, end = o + HEADER, o + size - CHECKSUM
            number = data[body : body + 6].tobytes()
            if kind == TABLE_MAP:
                seen = parse_table_map(data[body:end].tobytes())
                numbers.discard(number)
                if (seen.database, seen.table) == (self.name, table):
                    found.table_map = seen
                    numbers.add(number)
            elif kind in ROW_EVENTS and number in numbers:
                found.places.append((body, end, kind))
            o += size
        return found


@dataclass
class Sides:
    """Rows by the bytes of their key (or in order, of a table without one), as values; and the names of the columns."""

    selected: dict
    logged: dict
    names: list[str]


def both_sides(database: Database, table: str, log: np.ndarray, **changes: Any) -> Sides:
    """What the rows of a table are now, selected and folded from the log."""
    settings = settings_for(database.server, **changes)
    structure = database.structure(table)
    names = [column.name for column in structure.columns]
    key = [names.index(name) for name in structure.primary_key]
    jsons = {i for i, column in enumerate(structure.columns) if column.type_name.upper() == "JSON"}
    selected = selected_rows(settings, structure, key)
    logged = folded(settings, structure, database.logged(table, log), key)
    return Sides(_comparable(selected, jsons), _comparable(logged, jsons), names)


def selected_rows(settings: Settings, table: Table, key: list[int], limit: int = 1 << 16) -> dict:
    plans = plan_selection(table, settings, key=key)
    sql = f"SELECT {plans.select_list} FROM `{table.id.catalog}`.`{table.id.name}`"
    rows = {}
    with mysql.connect(settings) as session, Selection(session, sql, (), plans, limit=limit) as selection:
        for block in selection.images():
            keys = key_bytes(block.keys) if key else None
            for i, row in enumerate(rows_of(block.images)):
                rows[keys[i] if keys else len(rows)] = row
    return rows


def folded(settings: Settings, table: Table, logged: Logged, key: list[int]) -> dict:
    if not logged.places:
        return {}
    types = [
        column_type(table.id, column, seen, settings)
        for column, seen in zip(table.columns, logged.table_map.columns, strict=True)
    ]
    plans = [type_.plan for type_ in types]
    images = logged.images(plans)
    keys = None
    if key:
        raw = logged.images(raw_key_plans(plans, key))
        keys = key_bytes([raw.vectors[i] for i in key])
    rows = rows_of(images)
    state: dict = {}
    for before, after in zip(images.before.tolist(), images.after.tolist(), strict=True):
        if before >= 0:
            del state[keys[before]]
        if after >= 0:
            state[keys[after] if keys else len(state)] = rows[after]
    return state


def rows_of(images: RowImages) -> list[Row]:
    return list(zip(*(vector.to_arrow().to_pylist() for vector in images.vectors), strict=True))


def _comparable(rows: dict, jsons: set[int]) -> dict:
    """JSON is shown in two ways; floats are compared by their bits, since -0.0 is a value too."""
    return {key: tuple(_value(value, is_json=i in jsons) for i, value in enumerate(row)) for key, row in rows.items()}


def _value(value: Any, *, is_json: bool) -> Any:
    if isinstance(value, float):
        return struct.pack("<d", value)
    return (value is None) if is_json else value


def _dumped(connection: Any, file: str) -> bytes:
    """A file of the log, as the server sends it to a replica, up to its present end."""
    with connection.cursor() as cursor:
        cursor.execute("SET @master_binlog_checksum = 'CRC32', @source_binlog_checksum = 'CRC32'")
    connection._execute_command(0x12, struct.pack("<IHI", 4, 1, 88) + file.encode())
    parts = [b"\xfebin"]
    while True:
        packet = connection._read_packet()
        if packet.is_eof_packet():
            return b"".join(parts)
        parts.append(packet.get_all_data()[1:])
