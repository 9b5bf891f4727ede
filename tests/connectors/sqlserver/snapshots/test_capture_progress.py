"""Proof that the capture job has passed a time: by its scans, by commits, never by the max LSN."""

import datetime as dt

import pytest
from tests.connectors.sqlserver.typed_tables import session_of

from tailrace.connectors.change_tables.snapshots import capture
from tailrace.connectors.sqlserver import catalog
from tailrace.connectors.sqlserver.snapshots import capture_progress
from tailrace.connectors.sqlserver.snapshots.capture_progress import CaptureJob, Scan, ServerTime, is_proven_by_scans
from tailrace.errors import RetriableError, SourceSetupError

NOON = dt.datetime(2026, 1, 1, 12)  # noqa: DTZ001 -- the server's local time


def at(seconds):
    return NOON + dt.timedelta(seconds=seconds)


def proven(moment, *scans):
    return is_proven_by_scans(moment, scans)


def test_a_scan_that_began_behind_the_moment_and_found_nothing_proves_it():
    assert proven(ServerTime(NOON, 3), Scan(4, at(1), at(2), 1))
    assert not proven(ServerTime(NOON, 3), Scan(4, at(1), at(2), 0))


def test_one_that_began_before_it_or_is_under_way_does_not():
    assert not proven(ServerTime(NOON, 3), Scan(4, at(-1), at(2), 1))
    assert not proven(ServerTime(NOON, 3), Scan(4, at(1), None, 1))
    assert not proven(ServerTime(NOON, 3), Scan(4, at(0.005), at(2), 1))  # within what datetime rounds


def test_of_scans_without_changes_the_second_counts():
    assert not proven(ServerTime(NOON, 3, 8), Scan(3, at(-9), at(1), 9))
    assert proven(ServerTime(NOON, 3, 8), Scan(3, at(-9), at(6), 10))
    assert proven(ServerTime(NOON, 3), Scan(4, at(-1), at(6), 2))


def test_a_scan_behind_one_that_ended_behind_the_moment_began_behind_it():
    """However the clocks of the rows are."""
    first, second = Scan(4, at(-1), at(2), 0), Scan(5, at(-1), at(3), 1)
    assert proven(ServerTime(NOON, 3), first, second)
    assert not proven(ServerTime(NOON, 3), first)
    assert not proven(ServerTime(NOON, 3), second)


@pytest.fixture
def session(sqlserver):
    sqlserver.sql("CREATE TABLE dbo.t (id int PRIMARY KEY)")
    sqlserver.capture("t")
    with session_of(sqlserver) as session:
        yield session


def test_nothing_is_proven_while_the_job_stands_still(sqlserver, session):
    job = CaptureJob(session)
    moment = job.now()
    before = catalog.max_lsn(session)
    sqlserver.sql("INSERT dbo.t VALUES (1)")
    assert not job.has_passed(moment)
    assert catalog.max_lsn(session) == before


def test_a_scan_that_ended_at_the_limit_of_the_running_job_proves_nothing_whatever_is_configured(
    sqlserver, session, monkeypatch
):
    monkeypatch.setattr(capture_progress, "CLOCK_SECONDS", 600.0)  # no commit proves it
    sqlserver.sql("EXEC sys.sp_cdc_change_job @job_type = N'capture', @maxtrans = 10000")  # the job has it once it restarts
    job = CaptureJob(session)
    moment = job.now()
    for number in range(3):
        sqlserver.sql(f"INSERT dbo.t VALUES ({number})")
    for _ in range(3):
        sqlserver.sql("EXEC sys.sp_cdc_scan @maxtrans = 1, @maxscans = 1")
        assert not job.has_passed(moment)
    sqlserver.step()
    assert job.has_passed(moment)


def test_scans_prove_it_where_nothing_changes_and_where_something_does(sqlserver, session):
    job = CaptureJob(session)
    for statement in ("DECLARE @x int", "INSERT dbo.t VALUES (1)"):
        moment = job.now()
        sqlserver.sql(statement)
        for _ in range(2):
            sqlserver.step()
        assert job.has_passed(moment)


def hide_scans(session, monkeypatch):
    """From now on the session may not see the scans."""
    rows = session.rows

    def refused(sql, *params):
        if "dm_cdc_log_scan_sessions" in sql:
            raise SourceSetupError("VIEW DATABASE STATE permission was denied")
        return rows(sql, *params)

    monkeypatch.setattr(session, "rows", refused)


def test_where_scans_can_not_be_seen_a_later_commit_proves_it(sqlserver, session, monkeypatch, caplog):
    hide_scans(session, monkeypatch)
    monkeypatch.setattr(capture_progress, "CLOCK_SECONDS", 0.05)
    job = CaptureJob(session)
    moment = job.now()
    assert "GRANT VIEW DATABASE STATE" in caplog.text
    sqlserver.step()
    sqlserver.step()
    assert not job.has_passed(moment)
    sqlserver.sql("WAITFOR DELAY '00:00:00.100'")
    sqlserver.sql("INSERT dbo.t VALUES (1)")
    sqlserver.step()
    assert job.has_passed(moment)


def test_a_time_that_was_noted_by_another_session_is_proven_by_one_that_sees_scans_or_does_not(
    sqlserver, session, monkeypatch
):
    monkeypatch.setattr(capture_progress, "CLOCK_SECONDS", 600.0)  # no commit proves it
    for _ in range(3):
        sqlserver.step()
    seen = CaptureJob(session).now()
    unseen = ServerTime(seen.time)
    assert not CaptureJob(session).has_passed(unseen)  # earlier scans are no proof
    for _ in range(3):
        sqlserver.step()
    assert CaptureJob(session).has_passed(seen)
    assert not CaptureJob(session).has_passed(unseen)
    hide_scans(session, monkeypatch)
    assert not CaptureJob(session).has_passed(seen)


def test_a_job_that_does_not_come_is_told_of(sqlserver, session, monkeypatch):
    monkeypatch.setattr(capture_progress, "PATIENCE_SECONDS", 0.05)
    monkeypatch.setattr(capture, "POLL_SECONDS", 0.01)
    job = CaptureJob(session)
    job._polling = 0
    with pytest.raises(RetriableError, match="Is SQL Server Agent running"):
        list(job.wait_until_passed(job.now()))
