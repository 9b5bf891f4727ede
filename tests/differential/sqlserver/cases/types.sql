-- Every type: the lowest, the highest, nothing, and what is in between.
CREATE TABLE dbo.numbers (id int NOT NULL PRIMARY KEY, b bit NULL, ti tinyint NULL, si smallint NULL, i int NULL, bi bigint NULL,
  r real NULL, f float NULL, f24 float(24) NULL, d5 decimal(5, 2) NULL, d18 decimal(18, 0) NULL, n38 numeric(38, 10) NULL,
  m money NULL, sm smallmoney NULL)
CREATE TABLE dbo.numbers_nn (b bit NOT NULL, ti tinyint NOT NULL, si smallint NOT NULL, i int NOT NULL, bi bigint NOT NULL PRIMARY KEY,
  r real NOT NULL, f float NOT NULL, d5 decimal(5, 2) NOT NULL, m money NOT NULL, sm smallmoney NOT NULL)
CREATE TABLE dbo.texts (id int NOT NULL PRIMARY KEY, c char(5) NULL, vc varchar(20) NULL, nc nchar(4) NULL, nvc nvarchar(50) NULL,
  vcm varchar(max) NULL, nvcm nvarchar(max) NULL, t text NULL, nt ntext NULL, x xml NULL, u uniqueidentifier NULL, s sysname NULL,
  u8 varchar(40) COLLATE Latin1_General_100_CI_AS_SC_UTF8 NULL)
CREATE TABLE dbo.texts_nn (k uniqueidentifier NOT NULL PRIMARY KEY, vc varchar(20) NOT NULL, nvcm nvarchar(max) NOT NULL, x xml NOT NULL)
CREATE TABLE dbo.binaries (id int NOT NULL PRIMARY KEY, b binary(4) NULL, vb varbinary(10) NULL, vbm varbinary(max) NULL, img image NULL,
  rv rowversion NOT NULL)
CREATE TABLE dbo.binaries_nn (k binary(2) NOT NULL PRIMARY KEY, vb varbinary(10) NOT NULL)
CREATE TABLE dbo.times (id int NOT NULL PRIMARY KEY, d date NULL, t0 time(0) NULL, t3 time(3) NULL, t4 time(4) NULL, t6 time(6) NULL,
  t7 time(7) NULL, dt datetime NULL, sdt smalldatetime NULL, dt2_0 datetime2(0) NULL, dt2_3 datetime2(3) NULL, dt2_4 datetime2(4) NULL,
  dt2_6 datetime2(6) NULL, dt2_7 datetime2(7) NULL, o0 datetimeoffset(0) NULL, o3 datetimeoffset(3) NULL, o7 datetimeoffset(7) NULL)
CREATE TABLE dbo.times_nn (d date NOT NULL, t3 time(3) NOT NULL, t7 time(7) NOT NULL, dt datetime NOT NULL, dt2_7 datetime2(7) NOT NULL,
  o7 datetimeoffset(7) NOT NULL, CONSTRAINT pk_times_nn PRIMARY KEY (d, dt, o7))
GO
--- capture numbers, numbers_nn, texts, texts_nn, binaries, binaries_nn, times, times_nn
INSERT dbo.numbers VALUES (1, 0, 0, -32768, -2147483648, -9223372036854775808, -3.4028235E38, -1.7976931348623157E308, 1.5,
  -999.99, -999999999999999999, -1234567890123456789012345678.0123456789, -922337203685477.5808, -214748.3648)
INSERT dbo.numbers (id) VALUES (2)
INSERT dbo.numbers_nn VALUES (1, 7, 7, 7, 7, 7.25, 7.125, 7, 7, 7.0001)
INSERT dbo.texts VALUES (1, 'ab', 'naïve €', N'ž', N'žluť 😀', 'max', N'max ž', 'old é', N'old ž', N'<a b="1">ž</a>',
  '12345678-9abc-def0-1234-56789abcdef0', N'dbo', 'žluť 😀')
INSERT dbo.texts (id) VALUES (2)
INSERT dbo.texts_nn VALUES ('00000000-0000-0000-0000-00000000000a', '', N'', N'<a/>')
INSERT dbo.binaries (id, b, vb, vbm, img) VALUES (1, 0x0001FEFF, 0x00FF, 0xFBEFBE, 0x89504E47), (2, NULL, NULL, NULL, NULL)
INSERT dbo.binaries_nn VALUES (0x0A0B, 0x)
INSERT dbo.times VALUES (1, '0001-01-01', '00:00:00', '00:00:00', '00:00:00', '00:00:00', '00:00:00', '1753-01-01', '1900-01-01',
  '0001-01-01', '0001-01-01', '0001-01-01', '0001-01-01', '1678-01-01', '0001-01-02 00:00:00 +14:00', '0001-01-02 00:00:00 +14:00',
  '1678-01-01 00:00:00.1234567 -14:00')
INSERT dbo.times (id) VALUES (2)
INSERT dbo.times_nn VALUES ('2024-02-29', '12:34:56.789', '01:02:03.1234567', '2024-02-29 12:34:56.787', '2024-02-29 12:34:56.1234567',
  '2024-02-29 02:34:56.1234567 +05:30')
GO
--- then: the other end
INSERT dbo.numbers VALUES (3, 1, 255, 32767, 2147483647, 9223372036854775807, 3.4028235E38, 1.7976931348623157E308, 0.1,
  999.99, 999999999999999999, 1234567890123456789012345678.0123456789, 922337203685477.5807, 214748.3647)
INSERT dbo.numbers VALUES (4, 1, 128, -1, -1, -1, 0.1, 0.1, 16777217, 0.01, 1, 0.0000000001, 0.0001, -0.0001)
INSERT dbo.numbers VALUES (5, 0, 1, 128, 128, 128, 1E-45, 5E-324, -0.5, -1.28, 128, -0.5, 1, 1)
INSERT dbo.numbers VALUES (6, NULL, 12, 0, 0, 0, 0, 0, 100, 0, 0, 0, 0, 0)
INSERT dbo.numbers VALUES (7, NULL, 12, 0, 0, 0, 1E10, 1E22, 123456.789, 10, 1000, 10, 1234.5, 100)
INSERT dbo.numbers (id) VALUES (8)
UPDATE dbo.numbers SET i = NULL, d5 = 1.5 WHERE id = 1
UPDATE dbo.numbers SET id = 30 WHERE id = 3
DELETE dbo.numbers WHERE id = 30
INSERT dbo.numbers_nn VALUES (0, 8, 8, 8, 8, 8, 8, 8, 8, 8)
UPDATE dbo.numbers_nn SET bi = -8 WHERE bi = 8
GO
--- then: texts
INSERT dbo.texts VALUES (3, 'abcde', '', N'žžžž', N'', '', N'', '', N'', N'', '00000000-0000-0000-0000-000000000000', N'', '')
INSERT dbo.texts VALUES (4, '', ' lead and trail ', N' ', N'"quoted" \ / ' + NCHAR(9) + NCHAR(10) + NCHAR(1) + N' ' + NCHAR(8232), NULL, NULL, NULL, NULL,
  N'<a>  <b/>  </a>', NULL, NULL, 'é')
INSERT dbo.texts (id, vcm, nvcm) VALUES (5, REPLICATE(CAST('y' AS varchar(max)), 10000), REPLICATE(CAST(N'ž' AS nvarchar(max)), 5000))
UPDATE dbo.texts SET vc = 'changed' WHERE id = 1
UPDATE dbo.texts SET nvcm = N'changed' WHERE id = 1
UPDATE dbo.texts SET t = 'changed', x = N'<c/>' WHERE id = 1
UPDATE dbo.texts SET vcm = NULL, nvcm = NULL, t = NULL, x = NULL WHERE id = 1
UPDATE dbo.texts SET vc = 'changed' WHERE id = 2
UPDATE dbo.texts SET id = 50 WHERE id = 5
DELETE dbo.texts WHERE id IN (1, 50)
INSERT dbo.texts_nn VALUES ('FFFFFFFF-0000-0000-0000-00000000000B', 'v', N'm', N'<b/>')
UPDATE dbo.texts_nn SET vc = 'w' WHERE vc = 'v'
DELETE dbo.texts_nn WHERE vc = 'w'
GO
--- then: binaries
INSERT dbo.binaries (id, b, vb, vbm, img) VALUES (3, 0xFF, 0x, 0x, 0x), (4, 0xFFFFFFFF, 0xFFFFFFFFFFFFFFFFFFFF, 0xFBFFBF, 0x00)
UPDATE dbo.binaries SET vb = 0x01 WHERE id = 1
UPDATE dbo.binaries SET vbm = 0x02, img = 0x03 WHERE id = 1
DELETE dbo.binaries WHERE id = 1
INSERT dbo.binaries_nn VALUES (0xFFFE, 0x01)
UPDATE dbo.binaries_nn SET k = 0x0001 WHERE k = 0xFFFE
GO
--- then: times
INSERT dbo.times VALUES (3, '9999-12-31', '23:59:59', '23:59:59.999', '23:59:59.9999', '23:59:59.999999', '23:59:59.9999999',
  '9999-12-31 23:59:59.997', '2079-06-06 23:59', '9999-12-31 23:59:59', '9999-12-31 23:59:59.999', '9999-12-31 23:59:59.9999',
  '9999-12-31 23:59:59.999999', '2262-01-01 00:00:00.9999999', '9999-12-30 23:59:59 +00:00', '9999-12-30 23:59:59.999 -00:30',
  '2262-01-01 00:00:00.9999999 +00:00')
INSERT dbo.times VALUES (4, '2024-02-29', '01:02:03', '01:02:03.100', '01:02:03.1234', '01:02:03.123456', '01:02:03.1234567',
  '2024-02-29 12:34:56.783', '2024-02-29 12:34', '2024-02-29 12:34:56', '2024-02-29 12:34:56.789', '2024-02-29 12:34:56.1234',
  '2024-02-29 12:34:56.123456', '2024-02-29 12:34:56.1234567', '2024-02-29 02:34:56 +05:30', '2024-02-29 02:34:56.120 -03:00',
  '2024-02-29 02:34:56.1234567 +05:30')
INSERT dbo.times VALUES (5, '1969-12-31', '12:00:00', '12:00:00.001', '00:00:00.0001', '00:00:00.000001', '00:00:00.0000001',
  '1969-12-31 23:59:59.997', '1969-12-31 23:59', '1969-12-31 23:59:59', '1969-12-31 23:59:59.999', '1969-12-31 23:59:59.9999',
  '1969-12-31 23:59:59.999999', '1969-12-31 23:59:59.9999999', '1970-01-01 00:00:00 +00:00', '1970-01-01 00:00:00.001 +01:00',
  '1969-12-31 23:59:59.9999999 +00:00')
UPDATE dbo.times SET dt = NULL, o7 = '2024-02-29 00:00:00 +00:00' WHERE id = 4
DELETE dbo.times WHERE id = 5
INSERT dbo.times_nn VALUES ('1582-10-15', '00:00:00', '00:00:00', '1900-01-01', '1700-01-01', '1700-01-01 00:00:00 +00:00')
INSERT dbo.times_nn VALUES ('1582-10-04', '00:00:00', '00:00:00', '1900-01-01', '1700-01-01', '1700-01-01 00:00:00 +00:00')
DELETE dbo.times_nn WHERE d = '1582-10-15'
GO
