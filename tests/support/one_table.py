"""A table of which reading gives ids, on servers whose log begins again."""

import time

from support.mysql_settings import settings_for
from tailrace.connectors.mysql import log_file_identity
from tailrace.connectors.mysql.stream import DumpPosition
from tailrace_standins.servers.waiting import wait_until

DATABASE = "anew"
TOPIC = f"test.{DATABASE}.t"
ONLY_IT = {"table_include_list": f"{DATABASE}.t"}


def make_table(server):
    server.sql(f"DROP DATABASE IF EXISTS {DATABASE}; CREATE DATABASE {DATABASE}; CREATE TABLE {DATABASE}.t (id INT PRIMARY KEY, v TEXT)")


def insert(server, *ids):
    for number in ids:
        server.sql(f"INSERT INTO t (id, v) VALUES ({number}, 'v')", DATABASE)


def ids(read):
    return [value["after"]["id"] for value in read.payloads(TOPIC)]


def reset(server):
    """Begin the log again, in another second: the clock of log files has no finer hand."""
    file, pos = end(server)
    made = log_file_identity.created_at(settings_for(server), DumpPosition(file, pos))
    wait_until(lambda: int(time.time()) > made, 10, lambda: "the clock stands still")
    server.sql("RESET BINARY LOGS AND GTIDS")


def end(server):
    file, pos = server.sql("SHOW BINARY LOG STATUS")[0][:2]
    return file, int(pos)
