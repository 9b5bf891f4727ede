-- Changes of rows: keys and none, transactions, savepoints, statements over many rows.
CREATE TABLE dbo.customers (id int IDENTITY(1001, 1) NOT NULL PRIMARY KEY, first_name nvarchar(255) NOT NULL,
  last_name nvarchar(255) NOT NULL, email nvarchar(255) NOT NULL UNIQUE)
CREATE TABLE dbo.pairs (v nvarchar(20) NULL, b int NOT NULL, a int NOT NULL, CONSTRAINT pk_pairs PRIMARY KEY (a, b))
CREATE TABLE dbo.no_key (v int NULL, w nvarchar(20) NULL)
CREATE TABLE dbo.only_key (id int NOT NULL PRIMARY KEY)
CREATE TABLE dbo.unique_index (n int NULL, code varchar(10) NOT NULL, m int NOT NULL)
CREATE UNIQUE INDEX ux_code ON dbo.unique_index (code)
CREATE TABLE dbo.not_captured (id int NOT NULL PRIMARY KEY)
GO
INSERT dbo.customers (first_name, last_name, email) VALUES (N'Ada', N'Nováková', N'ada@example.com'), (N'Jonas', N'Žák', N'jonas@example.com')
INSERT dbo.pairs VALUES (N'one', 1, 1), (NULL, 2, 1)
INSERT dbo.no_key VALUES (1, N'a'), (1, N'a'), (NULL, NULL)
INSERT dbo.unique_index VALUES (NULL, 'x', 1), (2, 'y', 2)
GO
--- capture customers, pairs, no_key, only_key, unique_index
--- then: one change after the other
INSERT dbo.customers (first_name, last_name, email) VALUES (N'Eva', N'Říha', N'eva@example.com')
GO
UPDATE dbo.customers SET email = N'e@example.com' WHERE id = 1003
GO
UPDATE dbo.customers SET email = email
GO
DELETE dbo.customers WHERE id = 1001
GO
UPDATE dbo.pairs SET a = 7 WHERE b = 1
GO
UPDATE dbo.pairs SET v = N'two' WHERE b = 2
GO
INSERT dbo.no_key VALUES (5, N'five')
GO
UPDATE dbo.no_key SET v = v + 1 WHERE v IS NOT NULL
GO
DELETE dbo.no_key WHERE v = 2
GO
INSERT dbo.unique_index VALUES (3, 'z', 3)
GO
UPDATE dbo.unique_index SET code = 'zz' WHERE code = 'z'
GO
UPDATE dbo.unique_index SET n = 33 WHERE code = 'zz'
GO
DELETE dbo.unique_index WHERE code = 'x'
GO
INSERT dbo.not_captured VALUES (1)
GO
--- then: transactions over several tables
BEGIN TRAN
INSERT dbo.only_key VALUES (1), (2)
INSERT dbo.customers (first_name, last_name, email) VALUES (N'Ivo', N'Hora', N'ivo@example.com')
UPDATE dbo.only_key SET id = 9 WHERE id = 2
UPDATE dbo.customers SET last_name = N'Berg' WHERE id = 1004
UPDATE dbo.customers SET last_name = N'Hora' WHERE id = 1004
DELETE dbo.pairs WHERE a = 7
INSERT dbo.pairs VALUES (N'again', 1, 7)
INSERT dbo.not_captured VALUES (2)
COMMIT
GO
BEGIN TRAN
INSERT dbo.only_key VALUES (20)
SAVE TRAN here
INSERT dbo.only_key VALUES (21)
DELETE dbo.customers
ROLLBACK TRAN here
INSERT dbo.only_key VALUES (22)
COMMIT
GO
BEGIN TRAN
DELETE dbo.customers
INSERT dbo.only_key VALUES (30)
ROLLBACK
GO
BEGIN TRAN
INSERT dbo.not_captured VALUES (3)
COMMIT
GO
UPDATE dbo.only_key SET id = id + 1
GO
UPDATE dbo.pairs SET a = b, b = a
GO
BEGIN TRAN
INSERT dbo.only_key VALUES (50)
DELETE dbo.only_key WHERE id = 50
INSERT dbo.only_key VALUES (50)
COMMIT
GO
BEGIN TRAN
INSERT dbo.only_key VALUES (60)
GO
INSERT dbo.only_key VALUES (61)
COMMIT
GO
--- then: nothing but the marker
--- then: the last one
DELETE dbo.only_key
GO
