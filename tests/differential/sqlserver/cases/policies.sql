-- What column policies and custom keys are set on.
CREATE TABLE dbo.policies (id int NOT NULL PRIMARY KEY, masked varchar(20) NULL, masked_nn nvarchar(20) NOT NULL, masked0 varchar(20) NULL,
  hashed varchar(20) NULL, hashed2 nvarchar(20) NULL, hashed5 char(5) NULL, cut varchar(20) NULL, cut_char nchar(8) NULL, excluded int NULL,
  num_masked int NULL, bin_hashed varbinary(5) NULL, secret nvarchar(max) NULL)
CREATE TABLE dbo.custom_key (id int NOT NULL PRIMARY KEY, k1 int NOT NULL, k2 varchar(10) NULL)
CREATE TABLE dbo.custom_key_no_pk (k1 int NULL, v int NULL)
GO
--- capture policies, custom_key, custom_key_no_pk
INSERT dbo.policies VALUES (1, 'secret', N'secret ž', 'x', 'h', N'h ž', 'h', 'abcdefghij', N'žžžžžžžž', 1, 5, 0x0102, N'max'),
  (2, NULL, N'', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)
INSERT dbo.custom_key VALUES (1, 10, 'a')
INSERT dbo.custom_key_no_pk VALUES (1, 1), (NULL, 2)
GO
--- then
INSERT dbo.policies VALUES (3, 'secret', N'secret ž', 'x', 'h', N'h ž', 'h', 'abcdefghij', N'žžžžžžžž', 1, 5, 0x0102, N'max')
UPDATE dbo.policies SET cut = 'ab', excluded = 2, secret = N'other' WHERE id = 3
UPDATE dbo.policies SET excluded = 3 WHERE id = 3
DELETE dbo.policies WHERE id = 3
INSERT dbo.custom_key VALUES (2, 20, NULL)
UPDATE dbo.custom_key SET k1 = 21 WHERE id = 2
UPDATE dbo.custom_key SET id = 22 WHERE id = 2
DELETE dbo.custom_key
INSERT dbo.custom_key_no_pk VALUES (3, 3)
UPDATE dbo.custom_key_no_pk SET k1 = 4 WHERE v = 3
DELETE dbo.custom_key_no_pk WHERE v = 3
GO
