"""Signals to a Db2 connector that follows the log in a test."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from support.signalling import read_all
from tailrace_standins.servers.db2_server import Database


def signal_table(database: Database) -> None:
    database.sql("CREATE TABLE S.SIGNALS (ID VARCHAR(42) NOT NULL PRIMARY KEY, TYPE VARCHAR(32), DATA VARCHAR(2048))")
    database.register("S.SIGNALS")
    database.replication.step()


def signal(database: Database, id_: str, type_: str, /, **data: Any) -> None:
    database.many("INSERT INTO S.SIGNALS VALUES (?, ?, ?)", [(id_, type_, json.dumps(data))])


def execute(database: Database, *tables: str, id_: str = "one", **more: Any) -> None:
    names = [f"S.{table}" for table in tables]
    signal(database, id_, "execute-snapshot", **{"data-collections": names, "type": "incremental", **more})


def read_captured(followed: Any, database: Database, between: Callable[[], object] = lambda: None, **how: Any) -> Any:
    """Until nothing is left to do; all that was committed is captured, and goes on to be."""

    def step() -> None:
        database.replication.step()
        between()

    database.replication.step()
    return read_all(followed, **{**how, "between": step})


def filled(database: Database, *tables: str, rows: int = 30) -> None:
    for table in tables:
        database.sql(f"CREATE TABLE S.{table} (ID INTEGER NOT NULL PRIMARY KEY)")
        database.register(f"S.{table}")
        database.sql(f"INSERT INTO S.{table} VALUES " + ", ".join(f"({n})" for n in range(rows)))
    database.replication.step()


def types(followed: Any) -> list[str]:
    return [type_ for type_, _ in followed.notifications()]


def ids(followed: Any, topic: str) -> list[Any]:
    return [value["after"]["ID"] for value in followed.payloads(topic)]
