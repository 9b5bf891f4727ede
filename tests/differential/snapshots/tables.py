"""The tables of the scenarios: with rows, with one, with none, in every order that markers depend on."""

from __future__ import annotations

MARKS = (
    "CREATE DATABASE s_marks DEFAULT CHARACTER SET utf8mb4",
    "CREATE DATABASE s_other DEFAULT CHARACTER SET latin1",
    "CREATE TABLE s_other.not_captured (id INT PRIMARY KEY)",
    "CREATE TABLE s_marks.b_one (id INT PRIMARY KEY, v VARCHAR(10))",
    "INSERT INTO s_marks.b_one VALUES (1, 'one')",
    "CREATE TABLE s_marks.c_three (id INT PRIMARY KEY, v VARCHAR(10))",
    "INSERT INTO s_marks.c_three VALUES (3, 'c'), (1, 'a'), (2, 'b')",
    "CREATE TABLE s_marks.d_empty (id INT PRIMARY KEY)",
    "CREATE TABLE s_marks.e_two (a INT, b VARCHAR(10))",
    "INSERT INTO s_marks.e_two VALUES (2, 'no key'), (1, 'no key')",
    "CREATE TABLE s_marks.f_three (id INT PRIMARY KEY, at TIMESTAMP DEFAULT CURRENT_TIMESTAMP)",
    "INSERT INTO s_marks.f_three (id) VALUES (1), (2), (3)",
    "CREATE VIEW s_marks.g_view AS SELECT * FROM s_marks.b_one",
)
ENDS_EMPTY = (
    *MARKS,
    "CREATE TABLE s_marks.a_empty (id INT PRIMARY KEY)",
    "CREATE TABLE s_marks.z_empty (id INT PRIMARY KEY)",
)
ONE_ROW = (
    "CREATE DATABASE s_marks",
    "CREATE TABLE s_marks.only (id INT PRIMARY KEY)",
    "INSERT INTO s_marks.only VALUES (1)",
)
NOTHING = (
    "CREATE DATABASE s_marks",
    "CREATE TABLE s_marks.empty (id INT PRIMARY KEY)",
    "CREATE TABLE s_marks.empty2 (id INT PRIMARY KEY)",
)
FIRST_CHANGE = "INSERT INTO s_marks.c_three VALUES (4, 'streamed'), (5, 'streamed')"
