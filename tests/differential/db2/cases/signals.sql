-- An incremental snapshot asked for by a row, a message for the log, and a snapshot that lets the stream wait.
CREATE TABLE DEBEZIUM_SIGNAL (ID VARCHAR(64) NOT NULL PRIMARY KEY, TYPE VARCHAR(32) NOT NULL, DATA VARCHAR(2000));
CREATE TABLE T (ID INTEGER NOT NULL PRIMARY KEY, V VARCHAR(5));
CREATE TABLE U (ID INTEGER NOT NULL PRIMARY KEY);
--- register DEBEZIUM_SIGNAL, T, U
INSERT INTO T VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd'), (5, 'e');
--- then
--- resume
INSERT INTO DEBEZIUM_SIGNAL VALUES ('log-1', 'log', '{"message": "signal at {}"}');
INSERT INTO DEBEZIUM_SIGNAL VALUES ('ask-1', 'execute-snapshot', '{"data-collections": ["DB2INST1.T"], "type": "INCREMENTAL"}');
--- incremental 5
--- then
INSERT INTO T VALUES (6, 'f');
