-- One transaction with a thousand rows, between others.
CREATE TABLE dbo.small (id int NOT NULL PRIMARY KEY)
CREATE TABLE dbo.large (id int NOT NULL PRIMARY KEY, n int NULL)
GO
--- capture small, large
INSERT dbo.small VALUES (0)
GO
--- then
INSERT dbo.small VALUES (1)
GO
BEGIN TRAN
INSERT dbo.small VALUES (2);
WITH numbers AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM numbers WHERE n < 1000)
INSERT dbo.large SELECT n, n * 2 FROM numbers OPTION (MAXRECURSION 0)
INSERT dbo.small VALUES (3)
COMMIT
GO
INSERT dbo.small VALUES (4)
GO
UPDATE dbo.large SET n = n + 1 WHERE id > 990
GO
