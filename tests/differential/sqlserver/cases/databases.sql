-- Two databases, each with its own log.
CREATE TABLE dbo.t (id int NOT NULL PRIMARY KEY, v int NULL)
GO
--- capture t
INSERT dbo.t VALUES (1, 1)
GO
--- in second-db
CREATE TABLE dbo.t (id int NOT NULL PRIMARY KEY, w nvarchar(5) NULL)
CREATE TABLE dbo.u (id int NOT NULL PRIMARY KEY)
GO
--- capture t, u
INSERT dbo.t VALUES (1, N'x')
INSERT dbo.u VALUES (1)
GO
--- then: one after the other
INSERT dbo.t VALUES (2, 2)
UPDATE dbo.t SET v = 3
GO
--- in second-db
INSERT dbo.t VALUES (2, N'y')
BEGIN TRAN
INSERT dbo.u VALUES (2)
UPDATE dbo.t SET id = 3 WHERE id = 2
COMMIT
GO
--- then: one of them alone
--- in second-db
DELETE dbo.u
GO
--- then: a table comes under capture
CREATE TABLE dbo.v (id int NOT NULL PRIMARY KEY)
GO
--- capture v
INSERT dbo.v VALUES (1)
GO
