-- The connector is stopped, changes come, it goes on.
CREATE TABLE dbo.t (id int NOT NULL PRIMARY KEY, v int NULL)
CREATE TABLE dbo.u (id int NOT NULL PRIMARY KEY)
GO
--- capture t, u
INSERT dbo.t VALUES (1, 1)
GO
--- then
INSERT dbo.t VALUES (2, 2)
GO
--- stop
BEGIN TRAN
UPDATE dbo.t SET v = v + 1
INSERT dbo.u VALUES (1), (2)
COMMIT
DELETE dbo.t WHERE id = 1
GO
--- start
--- then
INSERT dbo.u VALUES (3)
GO
