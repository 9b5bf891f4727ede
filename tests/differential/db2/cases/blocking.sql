-- A snapshot that lets the stream wait, asked for by a row.
CREATE TABLE DEBEZIUM_SIGNAL (ID VARCHAR(64) NOT NULL PRIMARY KEY, TYPE VARCHAR(32) NOT NULL, DATA VARCHAR(2000));
CREATE TABLE T (ID INTEGER NOT NULL PRIMARY KEY, V VARCHAR(5));
CREATE TABLE U (ID INTEGER NOT NULL PRIMARY KEY);
--- register DEBEZIUM_SIGNAL, T, U
INSERT INTO T VALUES (1, 'a'), (2, 'b');
INSERT INTO U VALUES (1);
--- then
INSERT INTO T VALUES (3, 'c');
--- then
--- resume
INSERT INTO DEBEZIUM_SIGNAL VALUES ('ask-1', 'execute-snapshot', '{"data-collections": ["DB2INST1.T"], "type": "BLOCKING"}');
--- told 2
--- then
INSERT INTO T VALUES (4, 'd');
