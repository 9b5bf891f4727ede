"""Tables whose structure, registration or changes go while an initial snapshot of a Db2 reads them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest
from tests.connectors.db2.snapshots.writing import filled

from support.snapshotting import taken
from tailrace.connectors.db2 import tables_with_changes
from tailrace.errors import PositionLostError
from tailrace_standins.servers.db2_server import Database

pytestmark = pytest.mark.drivers

T: Final = "s.S.T"
SettingsFor = Callable[..., Any]
InBetween = list[Callable[[], object]]


def at_step(number: int, *doing: Callable[[], object], db2: Database) -> Callable[[], None]:
    """Steps of the Capture program, before one of which something is done."""
    steps = iter(range(1000))

    def between() -> None:
        if next(steps) == number:
            for each in doing:
                each()
        db2.replication.step()

    return between


@pytest.mark.usefixtures("small_chunks")
def test_changes_that_were_pruned_before_the_snapshot_was_done_stop_it(
    db2: Database, settings_for: SettingsFor, in_between: InBetween
) -> None:
    filled(db2)
    db2.sql("UPDATE ASNCDC.IBMSNAP_CAPPARMS SET RETENTION_LIMIT = 0")
    steps = iter(range(1000))
    in_between.append(lambda: db2.sql(f"DELETE FROM S.T WHERE ID = {next(steps)}"))
    pruning = at_step(2, db2.replication.step, db2.replication.prune, db2=db2)
    with pytest.raises(PositionLostError, match=r"may have been pruned.*RETENTION_LIMIT.*begins again"):
        taken(settings_for(), between=pruning)


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("stop_every", [None, 1])
@pytest.mark.parametrize("what", ["registered anew", "deactivated"])
def test_a_registration_that_does_not_tell_all_changes_stops_it(
    db2: Database, settings_for: SettingsFor, what: str, stop_every: int | None
) -> None:
    filled(db2)

    def anew() -> None:
        db2.unregister("S.T")
        db2.sql("DELETE FROM S.T WHERE ID = 19")
        db2.register("S.T")

    def deactivated() -> None:
        db2.sql("UPDATE ASNCDC.IBMSNAP_REGISTER SET STATE = 'I' WHERE SOURCE_TABLE = 'T'")
        db2.replication.reinit()

    doing = anew if what == "registered anew" else deactivated
    with pytest.raises(PositionLostError, match=r"no active registration of \S*S\.T in ASNCDC\.IBMSNAP_REGISTER"):
        taken(settings_for(), 1, stop_every, between=at_step(3, doing, db2=db2))


@pytest.mark.usefixtures("small_chunks")
def test_a_column_that_is_added_meanwhile_is_not_in_rows_of_before(db2: Database, settings_for: SettingsFor) -> None:
    filled(db2)
    both = [f"ALTER TABLE {table} ADD COLUMN W INTEGER" for table in ("S.T", "ASNCDC.CDC_S_T")]
    between = at_step(3, lambda: db2.sql(*both), lambda: db2.sql("UPDATE S.T SET W = 5, V = 'new'"), db2=db2)
    rows = taken(settings_for(), between=between).rows(T)
    assert [(row["ID"], row["V"]) for row in rows] == [(n, f"v{n}") for n in range(20)]
    assert all(row.get("W") is None for row in rows)


@pytest.mark.db2_stand_in("a column that is dropped without REORG")
@pytest.mark.usefixtures("small_chunks")
def test_a_column_that_is_dropped_meanwhile_is_gone_from_the_rows_that_are_read_behind_that(
    db2: Database, settings_for: SettingsFor, in_between: InBetween
) -> None:
    """A read that fails for it is tried again with the structure of then."""
    filled(db2, 30, ", A INTEGER")
    chunks = iter(range(1000))

    def alter() -> None:
        if next(chunks) == 3:
            db2.sql(*(f"ALTER TABLE {table} DROP COLUMN A" for table in ("S.T", "ASNCDC.CDC_S_T")))

    in_between.append(alter)
    rows = taken(settings_for(), between=db2.replication.step).rows(T)
    assert sorted(row["ID"] for row in rows) == list(range(30))
    assert tuple(rows[-1]) == ("ID", "V")


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("when", ["before the window is looked at", "when it was looked at"])
def test_a_table_that_is_dropped_while_the_log_is_read_is_left_out_and_the_others_are_read(
    db2: Database, settings_for: SettingsFor, in_between: InBetween, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    """GIVEN a change table that goes while a wave reads the log, WHEN the wave comes to it, THEN what was read of its table in that
    wave comes to nothing, and the other tables are as they were."""
    for name in ("GONE", "KEPT"):
        db2.sql(f"CREATE TABLE S.{name} (K INTEGER NOT NULL PRIMARY KEY, N INTEGER)")
        db2.register(f"S.{name}")
        db2.sql(f"INSERT INTO S.{name} VALUES " + ", ".join(f"({k}, 0)" for k in range(20)))
    db2.replication.step()
    dropped: list[bool] = []

    def drop() -> None:
        if not dropped:
            dropped.append(True)
            db2.unregister("S.GONE")
            db2.sql("DROP TABLE S.GONE")

    real = tables_with_changes.has_rows

    def looked_at(*given: Any) -> Any:
        if when.startswith("before"):
            drop()
        found = real(*given)
        drop()
        return found

    monkeypatch.setattr(tables_with_changes, "has_rows", looked_at)
    in_between.append(
        lambda: db2.sql("UPDATE S.KEPT SET N = N + 1", *([] if dropped else ["UPDATE S.GONE SET N = 1"]))
    )
    snapshot = taken(settings_for(), between=db2.replication.step)
    assert sorted((row["K"], row["N"]) for row in snapshot.rows("s.S.KEPT")) == [(k, 0) for k in range(20)]
    assert dropped
    assert "s.S.GONE" not in snapshot.topics
