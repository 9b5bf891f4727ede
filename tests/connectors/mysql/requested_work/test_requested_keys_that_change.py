"""Keys that are made, or made anew, when a signal has asked for a table: no row at the snapshot's position is lost."""

import pytest

from support.signalling import begin, execute, read_all, signal
from tailrace.connectors.mysql.snapshots.source import MySqlSource

pytestmark = pytest.mark.mysql


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize(
    "statements",
    [
        "DROP INDEX u ON t; INSERT INTO t VALUES (9, 1000); DELETE FROM t WHERE id = 1000; CREATE UNIQUE INDEX u ON t (k)",
        "ALTER TABLE t ADD PRIMARY KEY (id)",
    ],
)
def test_a_chunk_is_read_again_if_an_index_is_made_meanwhile(mysql_server, database, settings, monkeypatch, statements):
    mysql_server.sql("CREATE TABLE t (k INT NOT NULL, id INT NOT NULL, UNIQUE u (k))", database)
    mysql_server.sql("INSERT INTO t VALUES " + ", ".join(f"({n}, {n})" for n in range(30)), database)
    followed, real, left = begin(settings), MySqlSource.read, [statements]

    def altering(self, segment):
        if left and segment.after is not None:  # the second chunk, whose position is taken
            mysql_server.sql(left.pop(), database)
        return real(self, segment)

    monkeypatch.setattr(MySqlSource, "read", altering)
    execute(mysql_server, database, f"{database}.t")
    read_all(followed)
    assert not left
    read = [value["after"]["id"] for value in followed.payloads(f"test.{database}.t") if value["op"] == "r"]
    assert sorted(read) == list(range(30))


@pytest.mark.parametrize("kind", ["incremental", "blocking"])
def test_a_table_is_read_where_its_key_was_there_already(mysql_server, database, settings, kind):
    """GIVEN a signal that is read before the delete, and the key that was made behind that."""
    mysql_server.sql("CREATE TABLE t (k INT NOT NULL, v VARCHAR(9)); INSERT INTO t VALUES (5, 'a'), (5, 'b')", database)
    followed = begin(settings)
    if kind == "incremental":
        execute(mysql_server, database, f"{database}.t")
    else:
        signal(mysql_server, database, "one", "execute-snapshot", **{"data-collections": [f"{database}.t"], "type": "blocking"})
    followed.until(lambda: {"tables", "blocking"} & {*(followed.progress.signalled or {})})
    mysql_server.sql("DELETE FROM t WHERE v = 'b'; ALTER TABLE t ADD UNIQUE u (k)", database)
    read_all(followed)
    told = [(value["op"], (value["after"] or value["before"])["v"]) for value in followed.payloads(f"test.{database}.t")]
    assert told == [("d", "b"), ("r", "a")]
