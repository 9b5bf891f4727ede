-- The connector is stopped, changes come, it goes on.
CREATE TABLE T (ID INTEGER NOT NULL PRIMARY KEY, V INTEGER);
CREATE TABLE U (ID INTEGER NOT NULL PRIMARY KEY);
--- register T, U
INSERT INTO T VALUES (1, 1);
--- then
INSERT INTO T VALUES (2, 2);
--- stop
--- transaction
UPDATE T SET V = V + 1;
INSERT INTO U VALUES (1), (2);
COMMIT;
DELETE FROM T WHERE ID = 1;
--- start
--- then
INSERT INTO U VALUES (3);
