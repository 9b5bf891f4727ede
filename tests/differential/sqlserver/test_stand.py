"""The server of a scenario reads its log only where the scenario says so."""

import pytest
from tests.differential.sqlserver.cases import Step
from tests.differential.sqlserver.stand import Stand

pytestmark = [pytest.mark.drivers, pytest.mark.usefixtures("with_driver")]
START = "SELECT start_lsn FROM cdc.change_tables WHERE capture_instance = N'dbo_t'"


def test_a_capture_instance_of_a_stage_is_read_with_the_rest_of_the_stage():
    with Stand(["d1"]) as stand:
        database = stand.databases["d1"]
        before = database.max_lsn()
        stand.run(Step("sql", "CREATE TABLE dbo.t (id int NOT NULL PRIMARY KEY)", "d1"))
        stand.run(Step("capture", "t", "d1"))
        assert (database.value(START), database.max_lsn()) == (None, before)
        stand.captured(mark=True)
        assert before < database.value(START) < database.max_lsn()
