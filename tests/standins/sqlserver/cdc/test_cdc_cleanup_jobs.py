"""The clean-up that comes by itself every night."""

import datetime as dt

from tests.standins.sqlserver.engine.client import Client

from tailrace_standins.sqlserver.cdc import install
from tailrace_standins.sqlserver.engine.server import Engine


def test_old_changes_go_at_two_in_the_morning() -> None:
    now = [dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)]
    engine = Engine(clock=lambda: now[0])
    capture = install(engine, automatic=False)
    try:
        engine.create_database("shop")
        client = Client(engine)
        client.run("CREATE TABLE t (id int PRIMARY KEY)")
        client.run("EXEC sys.sp_cdc_enable_db")
        client.run("EXEC sys.sp_cdc_enable_table @source_schema = N'dbo', @source_name = N't', @role_name = NULL")
        client.run("EXEC sys.sp_cdc_change_job @job_type = N'cleanup', @retention = 1440")

        def ids_after(moment: dt.datetime, row: int) -> list[object]:
            now[0] = moment
            client.run(f"INSERT t VALUES ({row})")
            capture.step("shop")
            assert capture.cleanup_jobs.run_due() == (moment.hour > 1)
            return [each[0] for each in client.rows("SELECT id FROM cdc.dbo_t_CT ORDER BY 1")]

        assert ids_after(dt.datetime(2026, 3, 2, 1, 59, tzinfo=dt.UTC), 1) == [1]
        assert ids_after(dt.datetime(2026, 3, 2, 2, tzinfo=dt.UTC), 2) == [1, 2]
        assert not capture.cleanup_jobs.run_due()
        assert ids_after(dt.datetime(2026, 3, 3, 1, 59, 30, tzinfo=dt.UTC), 3) == [1, 2, 3]
        assert ids_after(dt.datetime(2026, 3, 3, 2, tzinfo=dt.UTC), 4) == [2, 3, 4]
        engine.agent_running = False
        now[0] = dt.datetime(2026, 3, 9, 12, tzinfo=dt.UTC)
        assert not capture.cleanup_jobs.run_due()
    finally:
        engine.close()
