"""Two tables whose names become the same topic: its records follow the log, not the tables."""

import logging

import pytest

from support.reading import begin, read_on

DATABASE = "sharing"


@pytest.mark.mysql
def test_the_records_of_two_tables_in_one_topic_follow_the_log(mysql_server, caplog):
    caplog.set_level(logging.WARNING)
    mysql_server.sql(f"DROP DATABASE IF EXISTS {DATABASE}; CREATE DATABASE {DATABASE}")
    mysql_server.sql(
        "CREATE TABLE `a#b` (id INT PRIMARY KEY, v INT); CREATE TABLE `a$b` (id INT PRIMARY KEY, w VARCHAR(9))", DATABASE
    )
    settings, read = begin(mysql_server, table_include_list=f"{DATABASE}\\..*")
    mysql_server.sql(
        "; ".join(f"INSERT INTO `a#b` VALUES ({n}, {n}); INSERT INTO `a$b` VALUES ({n}, 'x{n}')" for n in range(50)),
        DATABASE,
    )
    mysql_server.sql("DELETE FROM `a#b` WHERE id < 3; UPDATE `a$b` SET w = 'y' WHERE id < 3; DELETE FROM `a$b` WHERE id = 7", DATABASE)
    read_on(settings, read)
    found = [
        (value["op"], value["source"]["table"], (value["after"] or value["before"])["id"])
        for value in read.payloads(f"test.{DATABASE}.a_b")
        if value is not None
    ]
    inserted = [("c", table, n) for n in range(50) for table in ("a#b", "a$b")]
    rest = [("d", "a#b", n) for n in range(3)] + [("u", "a$b", n) for n in range(3)] + [("d", "a$b", 7)]
    assert found == inserted + rest
    assert "share the topic" in caplog.text
