"""Signals to a SQL Server connector that follows the log in a test."""

import json

from support.signalling import read_all


def signal_table(database):
    database.sql("CREATE TABLE dbo.signals (id varchar(42) PRIMARY KEY, type varchar(32), data varchar(2048))")
    database.capture("signals")


def signal(database, id_, type_, **data):
    database.sql("INSERT dbo.signals VALUES (?, ?, ?)", id_, type_, json.dumps(data))


def execute(database, *tables, id_="one", **more):
    names = [f"{database.name}.dbo.{table}" for table in tables]
    signal(database, id_, "execute-snapshot", **{"data-collections": names, "type": "incremental", **more})


def read_captured(followed, *databases, **how):
    """Until nothing is left to do; all that was committed is captured, and goes on to be."""

    def step():
        for database in databases:
            database.step()
        how.get("between", lambda: None)()

    for database in databases:
        database.capture_all()
    return read_all(followed, **{**how, "between": step})


def filled(database, *tables, rows=30):
    for table in tables:
        database.sql(f"CREATE TABLE dbo.{table} (id int PRIMARY KEY)")
        database.capture(table)
        database.sql(f"INSERT dbo.{table} VALUES " + ", ".join(f"({n})" for n in range(rows)))
    database.capture_all()


def types(followed):
    return [type_ for type_, _ in followed.notifications()]


def ids(followed, topic):
    return [value["after"]["id"] for value in followed.payloads(topic)]
