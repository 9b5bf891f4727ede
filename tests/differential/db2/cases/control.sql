-- A capture schema with another name.
CREATE TABLE T (ID INTEGER NOT NULL PRIMARY KEY, V VARCHAR(5));
--- register T
INSERT INTO T VALUES (1, 'a');
--- then
INSERT INTO T VALUES (2, 'b');
UPDATE T SET V = 'c' WHERE ID = 1;
DELETE FROM T WHERE ID = 2;
