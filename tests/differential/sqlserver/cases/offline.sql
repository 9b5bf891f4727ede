-- The procedure with writers stopped: the connector reads to the end and is stopped, the structure is changed and a second
-- instance made, the connector goes on, and the old instance goes.
CREATE TABLE dbo.customers (id int NOT NULL PRIMARY KEY, name nvarchar(20) NOT NULL, note nvarchar(10) NULL)
GO
--- capture customers
INSERT dbo.customers VALUES (1, N'first', NULL)
GO
--- then
INSERT dbo.customers VALUES (2, N'before', N'n')
GO
--- stop
ALTER TABLE dbo.customers ADD phone varchar(32) NULL
ALTER TABLE dbo.customers DROP COLUMN note
GO
--- capture customers AS dbo_customers_v2
--- start
INSERT dbo.customers VALUES (3, N'after', '333')
GO
--- then: the old instance is not needed any more
EXEC sys.sp_cdc_disable_table N'dbo', N'customers', N'dbo_customers'
UPDATE dbo.customers SET phone = '1' WHERE id = 1
GO
