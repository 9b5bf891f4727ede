"""The meaning of the server's errors about snapshot isolation, with the documented texts.

Source:
https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-events-and-errors-3000-to-3999
"""

import pytest

from support.sqlserver_reading import settings_of
from tailrace.connectors.sqlserver.connection import connect
from tailrace.errors import RetriableError, SourceSetupError

PASSING = {
    3953: "Snapshot isolation transaction failed in database 'x' because the database is not recovered when the current "
    "transaction was started. Retry the transaction after the database has recovered.",
    3957: "Snapshot isolation transaction failed in database 'x' because the database did not allow snapshot isolation when "
    "the current transaction started. It may help to retry the transaction.",
    3961: "Snapshot isolation transaction failed in database 'x' because the object accessed by the statement has been modified "
    "by a DDL statement in another concurrent transaction since the start of this transaction. It is disallowed because the "
    "metadata is not versioned. A concurrent update to metadata can lead to inconsistency if mixed with snapshot isolation.",
}
LASTING = {
    3952: "Snapshot isolation transaction failed accessing database 'x' because snapshot isolation is not allowed in this "
    "database. Use ALTER DATABASE to allow snapshot isolation.",
}


@pytest.fixture
def failing(sqlserver):
    """Has the server tell an error with this text."""
    with connect(settings_of(sqlserver)) as session:
        yield lambda text: session.execute("THROW 51000, N'" + text.replace("'", "''") + "', 1")


@pytest.mark.parametrize("number", PASSING)
def test_what_another_transaction_would_see_is_worth_another_attempt(failing, number):
    with pytest.raises(RetriableError) as told:
        failing(PASSING[number])
    assert PASSING[number] in str(told.value)
    assert "ALLOW_SNAPSHOT_ISOLATION" not in str(told.value)


def test_a_database_without_row_versions_is_told_how_to_get_them(failing):
    with pytest.raises(SourceSetupError, match="ALLOW_SNAPSHOT_ISOLATION ON"):
        failing(LASTING[3952])
