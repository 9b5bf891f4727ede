-- The connector is stopped between two events of a transaction, and goes on.
CREATE TABLE T (ID INTEGER NOT NULL PRIMARY KEY, V INTEGER);
CREATE TABLE U (ID INTEGER NOT NULL PRIMARY KEY);
--- register T, U
INSERT INTO T VALUES (1, 1);
--- then
INSERT INTO T VALUES (2, 2);
--- stop
--- start
--- transaction
INSERT INTO T VALUES (3, 3), (4, 4), (5, 5);
UPDATE T SET ID = ID + 10;
DELETE FROM T WHERE ID = 13;
INSERT INTO U VALUES (1), (2);
COMMIT;
--- capture
--- held 8
--- start
