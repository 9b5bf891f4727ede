-- Values that a mode has no room for, in columns that can't be null.
SET sql_mode = '';
CREATE DATABASE d_unrepresentable;
USE d_unrepresentable;
CREATE TABLE times (id INT PRIMARY KEY, t TIME NOT NULL);
INSERT INTO times VALUES (1, '12:00:00'), (2, '-00:00:01'), (3, '12:00:01');
INSERT INTO times VALUES (4, '24:00:00');
INSERT INTO times VALUES (5, '838:59:59');
CREATE TABLE datetimes (id INT PRIMARY KEY, dt DATETIME NOT NULL);
INSERT INTO datetimes VALUES (1, '2024-02-29'), (2, '9999-12-31'), (3, '1000-01-01'), (4, '2000-01-01');
CREATE TABLE fine (id INT PRIMARY KEY);
INSERT INTO fine VALUES (1);
