"""The read events of rows as of one position of MySQL's log."""

from __future__ import annotations

from tailrace.connectors.mysql import source_block
from tailrace.connectors.mysql.positions import RestartPosition, file_number
from tailrace.connectors.mysql.settings import MySqlSettings
from tailrace.connectors.shared.snapshots.read_records import Constants, ReadChanges, number_for_all, text_for_all
from tailrace.schema.tables import TableId


def read_changes(settings: MySqlSettings, position: RestartPosition) -> ReadChanges:
    """The converter of rows as of a position into changes; the row's own position in the log is unknown, so it is 0."""

    def constants(table: TableId) -> Constants:
        return {"thread": None, "query": None, **source_block.constants(settings, table.catalog, table.name)}

    numbers = {"server_id": 0, "pos": position.pos, "row": 0}
    texts = {"gtid": None, "file": position.file}
    source = {name: number_for_all(number) for name, number in numbers.items()}
    source |= {name: text_for_all(text) for name, text in texts.items()}
    place = (position.era, file_number(position.file), position.pos, 0)
    is_flag = source_block.snapshot_is_flag(settings)
    return ReadChanges(source, tuple(map(number_for_all, place)), constants, is_flag)
