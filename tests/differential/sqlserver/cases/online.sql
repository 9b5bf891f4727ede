-- The procedure while writers go on: a second instance is made, read over to, and the old one goes. Twice.
CREATE TABLE dbo.customers (id int NOT NULL PRIMARY KEY, name nvarchar(20) NOT NULL)
CREATE TABLE dbo.other (id int NOT NULL PRIMARY KEY)
GO
--- capture customers, other
INSERT dbo.customers VALUES (1, N'first')
GO
--- then: a column is added, and rows are written before the new instance is there
INSERT dbo.customers VALUES (2, N'before')
ALTER TABLE dbo.customers ADD phone varchar(32) NULL
GO
INSERT dbo.customers VALUES (3, N'between', '333')
GO
--- capture customers AS dbo_customers_v2
INSERT dbo.customers VALUES (4, N'after', '444')
INSERT dbo.other VALUES (4)
UPDATE dbo.customers SET phone = '2' WHERE id = 2
GO
--- then: the old instance goes
EXEC sys.sp_cdc_disable_table N'dbo', N'customers', N'dbo_customers'
INSERT dbo.customers VALUES (5, N'alone', '555')
GO
--- then: another column, another instance
ALTER TABLE dbo.customers ADD born date NOT NULL DEFAULT '2000-01-01'
GO
INSERT dbo.customers VALUES (6, N'between', '666', '2006-06-06')
GO
--- capture customers AS dbo_customers_v3
INSERT dbo.customers VALUES (7, N'after', '777', '2007-07-07')
DELETE dbo.customers WHERE id = 2
GO
--- then
EXEC sys.sp_cdc_disable_table N'dbo', N'customers', N'dbo_customers_v2'
INSERT dbo.customers (id, name) VALUES (8, N'alone')
GO
--- then: an instance with the same columns is no change
--- capture customers AS dbo_customers_v4
INSERT dbo.customers (id, name) VALUES (9, N'same')
GO
