"""Proof that the Capture program has passed a time: by SYNCHTIME, never by a synchpoint."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tailrace.connectors.change_tables.snapshots import capture
from tailrace.connectors.db2 import transactions
from tailrace.connectors.db2.connection import Session, connect
from tailrace.connectors.db2.snapshots import capture_progress
from tailrace.connectors.db2.snapshots.capture_progress import CaptureProgram
from tailrace.errors import RetriableError
from tailrace_standins.servers.db2_server import Database

pytestmark = pytest.mark.drivers


@pytest.fixture
def settings(db2: Database, settings_for: Callable[..., Any]) -> Any:
    db2.sql("CREATE TABLE S.T (ID INTEGER NOT NULL PRIMARY KEY)")
    db2.register("S.T")
    return settings_for()


@pytest.fixture
def session(settings: Any) -> Iterator[Session]:
    with connect(settings) as opened:
        yield opened


@pytest.mark.db2_stand_in("a Capture program that stands still")
def test_nothing_is_proven_while_the_program_stands_still(db2: Database, session: Session, settings: Any) -> None:
    job = CaptureProgram(session, settings)
    assert not job.has_passed(job.now()), "nothing was ever captured"
    db2.replication.step()
    moment, before = job.now(), transactions.head(session, settings).lsn
    db2.sql("INSERT INTO S.T VALUES (1)")
    assert not job.has_passed(moment)
    assert transactions.head(session, settings).lsn == before


@pytest.mark.db2_stand_in("a Capture program that stands still")
def test_a_step_proves_it_where_nothing_changes_and_where_something_does(
    db2: Database, session: Session, settings: Any
) -> None:
    job = CaptureProgram(session, settings)
    for statement in ("VALUES 1", "INSERT INTO S.T VALUES (1)"):
        moment = job.now()
        db2.sql(statement)
        assert not job.has_passed(moment)
        db2.replication.step()
        assert job.has_passed(moment)


def test_rows_without_their_synchpoint_prove_nothing(db2: Database, session: Session, settings: Any) -> None:
    db2.replication.step()
    job = CaptureProgram(session, settings)
    moment = job.now()
    db2.sql("INSERT INTO S.T VALUES (1)")
    db2.replication.capture()
    assert not job.has_passed(moment)
    db2.replication.advance()
    assert job.has_passed(moment)


def test_a_synchtime_within_a_second_proves_nothing_as_clocks_go(
    db2: Database, session: Session, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(capture_progress, "CLOCK_SECONDS", 1.0)
    job = CaptureProgram(session, settings)
    db2.replication.command("clock", "2026-01-01T12:00:00+00:00")
    moment = job.now()
    for second, proves in ((1, False), (2, True)):
        db2.replication.command("clock", f"2026-01-01T12:00:0{second}+00:00")
        db2.replication.step()
        assert job.has_passed(moment) == proves


def test_a_synchtime_from_before_the_clock_was_set_back_proves_nothing(
    db2: Database, session: Session, settings: Any
) -> None:
    db2.replication.command("clock", "2026-01-01T12:50:00+00:00")
    db2.replication.step()
    db2.replication.command("clock", "2026-01-01T12:10:00+00:00")
    job = CaptureProgram(session, settings)
    moment = job.now()
    db2.replication.command("clock", "2026-01-01T12:20:00+00:00")
    assert not job.has_passed(moment)
    db2.replication.step()
    assert job.has_passed(moment)


def test_a_program_that_does_not_come_is_told_of(
    db2: Database, session: Session, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(capture_progress, "PATIENCE_SECONDS", 0.05)
    monkeypatch.setattr(capture_progress, "INTERVALS", 0.0)
    monkeypatch.setattr(capture, "POLL_SECONDS", 0.01)
    db2.replication.step()
    job = CaptureProgram(session, settings)
    with pytest.raises(RetriableError, match=r"asncap.*SYNCHTIME.*asnccmd.*status.*IBMSNAP_CAPTRACE.*COMMIT_INTERVAL"):
        list(job.wait_until_passed(job.now()))


@pytest.mark.db2_stand_in("parameters of the Capture program that nobody has set")
def test_it_is_waited_for_as_long_as_it_may_be_silent(db2: Database, session: Session, settings: Any) -> None:
    assert CaptureProgram(session, settings).patience == 4 * 35
    db2.sql("UPDATE ASNCDC.IBMSNAP_CAPPARMS SET COMMIT_INTERVAL = 1, SLEEP_INTERVAL = 1")
    assert CaptureProgram(session, settings).patience == 120
