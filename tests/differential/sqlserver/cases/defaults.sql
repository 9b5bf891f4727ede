-- Default values, as far as they are constants; identity and computed columns.
CREATE TABLE dbo.defaults (id int IDENTITY(1, 1) NOT NULL PRIMARY KEY,
  b bit NOT NULL DEFAULT 1, ti tinyint NOT NULL DEFAULT 255, si smallint NOT NULL DEFAULT (-32768), i int NULL DEFAULT 2147483647,
  i_nn int NOT NULL DEFAULT -5, bi bigint NOT NULL DEFAULT 3147483648, r real NOT NULL DEFAULT 1.5, f float NULL DEFAULT 1.2345e3,
  d decimal(9, 4) NOT NULL DEFAULT 100.12, n numeric(5, 0) NULL DEFAULT 100, m money NOT NULL DEFAULT 922337203685477.58,
  sm smallmoney NULL DEFAULT 214748.3647, dn decimal(9, 4) NOT NULL DEFAULT -1.5)
CREATE TABLE dbo.default_texts (id int IDENTITY(1, 1) NOT NULL PRIMARY KEY,
  c char(5) NOT NULL DEFAULT 'ab', vc varchar(20) NOT NULL DEFAULT 'it''s', nc nchar(3) NULL DEFAULT N'ž', nvc nvarchar(20) NOT NULL DEFAULT N'ž (x)',
  nvcm nvarchar(max) NULL DEFAULT N'max', t text NULL DEFAULT 'text', b binary(3) NOT NULL DEFAULT 0x010203, vb varbinary(5) NULL DEFAULT 0xFF,
  nul varchar(5) NULL DEFAULT NULL, fn varchar(20) NOT NULL DEFAULT UPPER('x'), u uniqueidentifier NOT NULL DEFAULT '12345678-9ABC-DEF0-1234-56789ABCDEF0',
  x xml NULL DEFAULT N'<a/>', empty varchar(5) NOT NULL DEFAULT '')
CREATE TABLE dbo.default_times (id int IDENTITY(1, 1) NOT NULL PRIMARY KEY,
  d date NOT NULL DEFAULT '2019-02-03', t0 time(0) NULL DEFAULT '01:02:03', t7 time(7) NOT NULL DEFAULT '01:02:03.1234567',
  dt datetime NOT NULL DEFAULT '2019-01-01 12:34:56.789', sdt smalldatetime NULL DEFAULT '2019-01-01 12:34:56',
  dt2 datetime2(3) NOT NULL DEFAULT '2019-01-01 12:34:56.789', dt2_7 datetime2(7) NOT NULL DEFAULT '2019-01-01 12:34:56.1234567',
  o datetimeoffset(7) NOT NULL DEFAULT '2019-01-01 00:00:00.1234567+02:00')
CREATE TABLE dbo.default_now (id int NOT NULL PRIMARY KEY, at datetime2(3) NOT NULL DEFAULT SYSUTCDATETIME(), d date NULL DEFAULT GETDATE())
CREATE TABLE dbo.computed (id int NOT NULL PRIMARY KEY, a int NOT NULL, twice AS (a * 2), kept AS (a + 1) PERSISTED,
  price AS ISNULL(CAST(a AS money), 0), whole AS ISNULL(CAST(a AS decimal(9, 0)), 0), label AS ISNULL(CAST(a AS varchar(10)), ''),
  bits AS ISNULL(CAST(a AS binary(4)), 0x00), moment AS ISNULL(CAST(NULL AS datetime2(3)), '2020-01-01'))
CREATE TABLE dbo.keyed_default (k int NOT NULL DEFAULT 7 PRIMARY KEY, v varchar(5) NULL)
GO
--- capture defaults, default_texts, default_times, default_now, computed, keyed_default
INSERT dbo.defaults DEFAULT VALUES
INSERT dbo.default_texts DEFAULT VALUES
INSERT dbo.default_times DEFAULT VALUES
INSERT dbo.default_now VALUES (1, '2024-01-01', NULL)
INSERT dbo.computed VALUES (1, 5)
GO
--- then
INSERT dbo.defaults DEFAULT VALUES
INSERT dbo.defaults (i, f, n, sm) VALUES (NULL, NULL, NULL, NULL)
INSERT dbo.default_texts DEFAULT VALUES
INSERT dbo.default_texts (nc, nvcm, t, vb, x) VALUES (NULL, NULL, NULL, NULL, NULL)
INSERT dbo.default_times DEFAULT VALUES
INSERT dbo.default_times (t0, sdt) VALUES (NULL, NULL)
INSERT dbo.default_now VALUES (2, '2024-01-01', NULL)
INSERT dbo.computed VALUES (2, 6)
UPDATE dbo.computed SET a = 7 WHERE id = 1
INSERT dbo.keyed_default DEFAULT VALUES
GO
