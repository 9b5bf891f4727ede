-- Names that topics and schemas can't have as they are.
CREATE SCHEMA [my schema]
GO
CREATE TABLE [my schema].[t-1.x] ([the id] int NOT NULL PRIMARY KEY, [a-b] int NULL, [3rd] nvarchar(5) NULL, [ž] int NULL)
CREATE TABLE dbo.[With Space] (id int NOT NULL PRIMARY KEY)
CREATE TABLE dbo.[tëxt] (id int NOT NULL PRIMARY KEY)
CREATE TABLE dbo.[Mixed_Case$] (ID int NOT NULL PRIMARY KEY, [V#1] int NULL)
GO
--- capture [my schema].[t-1.x] AS names_1, [With Space] AS names_2, [tëxt] AS names_3, [Mixed_Case$] AS names_4
INSERT [my schema].[t-1.x] VALUES (1, 2, N'x', 3)
INSERT dbo.[With Space] VALUES (1)
GO
--- then
INSERT [my schema].[t-1.x] VALUES (2, 2, N'x', 3)
INSERT dbo.[With Space] VALUES (2)
INSERT dbo.[tëxt] VALUES (2)
INSERT dbo.[Mixed_Case$] VALUES (2, 5)
UPDATE dbo.[Mixed_Case$] SET [V#1] = 6
GO
