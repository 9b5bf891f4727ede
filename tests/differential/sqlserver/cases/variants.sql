-- sql_variant by itself: whatever reads it may stop.
CREATE TABLE dbo.variants (id int NOT NULL PRIMARY KEY, v sql_variant NULL)
GO
--- capture variants
INSERT dbo.variants VALUES (1, 42), (2, N'text'), (3, NULL), (4, CAST(1.5 AS decimal(5, 2)))
GO
--- then
INSERT dbo.variants VALUES (5, 43)
INSERT dbo.variants VALUES (6, CAST('2024-02-29' AS date))
GO
