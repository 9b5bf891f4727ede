-- Tables that are made and registered, and go, while the connector runs.
CREATE TABLE A (ID INTEGER NOT NULL PRIMARY KEY, V INTEGER);
--- register A
INSERT INTO A VALUES (1, 1);
--- then: another
CREATE TABLE B (ID INTEGER NOT NULL PRIMARY KEY, V INTEGER);
INSERT INTO B VALUES (2, 2);
--- register B
INSERT INTO A VALUES (3, 3);
INSERT INTO B VALUES (3, 3);
--- then: a new table
CREATE TABLE D (ID INTEGER NOT NULL PRIMARY KEY);
--- register D
INSERT INTO D VALUES (4);
INSERT INTO B VALUES (4, 4);
--- then: a goes
INSERT INTO A VALUES (5, 5);
--- then
CALL ASNCDC.REMOVETABLE('DB2INST1', 'A');
VALUES ASNCDC.ASNCDCSERVICES('reinit', 'asncdc');
INSERT INTO A VALUES (6, 6);
INSERT INTO B VALUES (6, 6);
--- then: and comes back
--- register A
INSERT INTO A VALUES (7, 7);
INSERT INTO B VALUES (7, 7);
