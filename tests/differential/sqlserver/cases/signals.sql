-- An incremental snapshot asked for by a row.
CREATE TABLE dbo.debezium_signal (id varchar(64) NOT NULL PRIMARY KEY, type varchar(32) NOT NULL, data nvarchar(2000) NULL)
CREATE TABLE dbo.t (id int NOT NULL PRIMARY KEY, v nvarchar(5) NULL)
CREATE TABLE dbo.u (id int NOT NULL PRIMARY KEY)
GO
--- capture debezium_signal, t, u
INSERT dbo.t VALUES (1, N'a'), (2, N'b'), (3, N'c'), (4, N'd'), (5, N'e')
GO
--- then
--- resume
INSERT dbo.debezium_signal VALUES ('ask-1', 'execute-snapshot', N'{"data-collections": ["d1.dbo.t"], "type": "INCREMENTAL"}')
GO
--- incremental 5
--- then
INSERT dbo.t VALUES (6, N'f')
GO
