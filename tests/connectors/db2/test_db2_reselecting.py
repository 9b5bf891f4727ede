"""Post processors: what changes lack, large objects above all, is read again from the table."""

from __future__ import annotations

import pytest

from support.change_table_reading import afters, begin, read_on
from support.db2_reading import settings_of, write
from tailrace_standins.servers.db2_server import Database

pytestmark = pytest.mark.drivers

RESELECT = {
    "post.processors": "again",
    "post.processors.again.type": "io.debezium.processors.reselect.ReselectColumnsPostProcessor",
}
TABLE = (
    "CREATE TABLE S.T (ID INTEGER NOT NULL, CODE CHAR(5) NOT NULL, BITS VARCHAR(4) FOR BIT DATA NOT NULL, BORN DATE NOT NULL, "
    "PRICE DECIMAL(9, 2) NOT NULL, NOTE VARCHAR(20), DOC CLOB(1000), PRIMARY KEY (ID, CODE, BITS, BORN, PRICE))"
)


@pytest.mark.parametrize("properties", [{}, {"tailrace.large.objects": "placeholder"}])
def test_nulls_and_large_objects_become_what_the_row_has_now(db2: Database, properties: dict[str, str]) -> None:
    db2.sql(TABLE)
    db2.register("S.T")
    db2.replication.step()
    settings = settings_of(db2, **RESELECT, **properties)
    read = begin(settings)
    write(db2, "INSERT INTO S.T VALUES (1, 'a''b', BX'00FF', '2026-03-01', -1.5, NULL, 'whole'), (2, '', BX'', '2026-03-02', 0, NULL, NULL)")
    write(db2, "UPDATE S.T SET NOTE = 'größe' WHERE ID = 1")
    read_on(settings, read)
    first, second, update = afters(read, "S.T")
    assert (first["NOTE"], first["DOC"], second["NOTE"], second["DOC"]) == ("größe", "whole", None, None)
    assert update == first
