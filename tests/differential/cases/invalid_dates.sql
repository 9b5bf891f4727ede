-- Dates that the calendar does not have, which MySQL stores under ALLOW_INVALID_DATES.
CREATE DATABASE d_invalid_dates;
USE d_invalid_dates;
SET sql_mode = 'ALLOW_INVALID_DATES';
CREATE TABLE dates (id INT PRIMARY KEY, d DATE, dt DATETIME);
INSERT INTO dates VALUES (1, '2023-02-28', '2023-02-28 10:00:00');
INSERT INTO dates VALUES (2, '2023-02-30', '2023-02-28 10:00:00');
INSERT INTO dates VALUES (3, '2023-02-28', '2023-04-31 10:00:00');
