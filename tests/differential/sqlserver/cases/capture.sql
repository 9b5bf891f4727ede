-- Tables that are made and come under capture, and go, while the connector runs.
CREATE TABLE dbo.a (id int NOT NULL PRIMARY KEY, v int NULL)
GO
--- capture a
INSERT dbo.a VALUES (1, 1)
GO
--- then: another
CREATE TABLE dbo.b (id int NOT NULL PRIMARY KEY, v int NULL)
INSERT dbo.b VALUES (2, 2)
GO
--- capture b
INSERT dbo.a VALUES (3, 3)
INSERT dbo.b VALUES (3, 3)
GO
--- then: a part of a third
CREATE TABLE dbo.c (id int NOT NULL PRIMARY KEY, v int NULL, w int NULL)
GO
--- capture c(id, w)
INSERT dbo.b VALUES (4, 4)
INSERT dbo.c VALUES (3, 3, 3)
GO
--- then: a new table
CREATE TABLE dbo.d (id int NOT NULL PRIMARY KEY)
GO
--- capture d
INSERT dbo.d VALUES (4)
UPDATE dbo.c SET v = 4 WHERE id = 3
UPDATE dbo.c SET w = 4 WHERE id = 3
GO
--- then: a is captured no more
INSERT dbo.a VALUES (5, 5)
GO
--- then
EXEC sys.sp_cdc_disable_table N'dbo', N'a', N'all'
INSERT dbo.a VALUES (6, 6)
INSERT dbo.b VALUES (6, 6)
GO
--- then: and comes back
--- capture a
INSERT dbo.a VALUES (7, 7)
INSERT dbo.b VALUES (7, 7)
GO
