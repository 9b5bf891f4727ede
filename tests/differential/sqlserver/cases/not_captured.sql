-- A table that is there, with rows, and is not captured; later it is, without one of its columns.
CREATE TABLE dbo.captured (id int NOT NULL PRIMARY KEY)
CREATE TABLE dbo.later (id int NOT NULL PRIMARY KEY, v int NULL, w int NULL)
GO
--- capture captured
INSERT dbo.captured VALUES (1)
INSERT dbo.later VALUES (1, 1, 1)
GO
--- then
INSERT dbo.later VALUES (2, 2, 2)
GO
--- capture later(id, w)
INSERT dbo.later VALUES (3, 3, 3)
GO
