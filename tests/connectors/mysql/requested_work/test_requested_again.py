"""Tables that signals request one time after the other, in different ways, while one reader follows the log."""

import pytest

from support.signalling import begin, execute, signal
from tailrace.connectors.mysql.snapshots.source import MySqlSource

pytestmark = [pytest.mark.mysql, pytest.mark.usefixtures("small_chunks")]
ROWS = 40
BY_S = {"surrogate-key": "s"}


@pytest.fixture
def followed(mysql_server, database, settings):
    """A lane that follows a log with a table of rows that come in another order by `s`."""
    mysql_server.sql("CREATE TABLE t (id INT PRIMARY KEY, s INT NOT NULL, v VARCHAR(9) NOT NULL)", database)
    values = ", ".join(f"({n}, {(ROWS - n) // 3}, 'v{n % 2}')" for n in range(ROWS))
    mysql_server.sql(f"INSERT INTO t VALUES {values}", database)
    return begin(settings)


def read_twice(server, database, followed, first, second, *, is_stopped=False):
    """The ids of the rows of each request; the first one is stopped with its first rows, or read to its end."""
    topic, left, at = f"test.{database}.t", [second], []

    def ended():
        return sum(type_ == "COMPLETED" for type_, _ in followed.notifications())

    def request():
        if left and topic in followed.topics and (is_stopped or ended()):
            if is_stopped:
                signal(server, database, "stop", "stop-snapshot", type="incremental")
            at.append(len(followed.topics[topic]))
            execute(server, database, f"{database}.t", id_="two", **left.pop())

    execute(server, database, f"{database}.t", **first)
    followed.until(lambda: not left and ended() == 2 - is_stopped, between=request)
    ids = [value["after"]["id"] for value in followed.payloads(topic)]
    return ids[: at[0]], ids[at[0] :]


def filtered(database, condition):
    return {"additional-conditions": [{"data-collection": f"{database}.t", "filter": condition}]}


@pytest.mark.parametrize(("first", "second"), [({}, BY_S), (BY_S, {}), ({"surrogate-key": "v"}, BY_S), (BY_S, BY_S)])
def test_the_order_is_that_of_the_signal(mysql_server, database, followed, first, second):
    for ids in read_twice(mysql_server, database, followed, first, second):
        assert sorted(ids) == list(range(ROWS))


def test_a_table_that_was_stopped_is_read_as_the_next_signal_says(mysql_server, database, followed):
    """Without the condition that it was read with before, and in another order."""
    odd = filtered(database, "v = 'v1'")
    _, second = read_twice(mysql_server, database, followed, odd, BY_S, is_stopped=True)
    assert set(range(0, ROWS, 2)) <= set(second), "the rows that the first signal left out"
    assert len(set(second)) == ROWS


def test_no_connection_is_kept_for_the_next_signal(mysql_server, database, followed, monkeypatch):
    """The server would drop it sooner or later, and the reading of the log with it."""
    real, closed = MySqlSource.close, []
    monkeypatch.setattr(MySqlSource, "close", lambda source: closed.append(source) or real(source))
    execute(mysql_server, database, f"{database}.t")
    followed.until(lambda: f"test.{database}.t" in followed.topics and followed.is_idle() and closed)
