-- The shop that the demo of `tailrace` watches, in T-SQL. Batches end with GO, as in Microsoft's tools.

CREATE TABLE dbo.products (
  id int IDENTITY(101, 1) NOT NULL PRIMARY KEY,
  name nvarchar(255) NOT NULL,
  description nvarchar(512),
  weight decimal(8, 3)
);
GO
CREATE TABLE dbo.products_on_hand (
  product_id int NOT NULL PRIMARY KEY REFERENCES dbo.products (id),
  quantity int NOT NULL
);
GO
CREATE TABLE dbo.customers (
  id int IDENTITY(1001, 1) NOT NULL PRIMARY KEY,
  first_name nvarchar(255) NOT NULL,
  last_name nvarchar(255) NOT NULL,
  email nvarchar(255) NOT NULL UNIQUE
);
GO
CREATE TABLE dbo.orders (
  id int IDENTITY(10001, 1) NOT NULL PRIMARY KEY,
  order_date date NOT NULL,
  purchaser int NOT NULL REFERENCES dbo.customers (id),
  quantity int NOT NULL,
  product_id int NOT NULL REFERENCES dbo.products (id)
);
GO
INSERT INTO dbo.products (name, description, weight) VALUES
  (N'lantern', N'Storm lantern, brass', 1.850),
  (N'compass', N'Pocket compass with lid', 0.140),
  (N'rope', N'Climbing rope, 40 m', 2.600),
  (N'kettle', N'Camping kettle, 1.2 l', 0.480),
  (N'tarp', N'Tarpaulin, 3 by 4 m', 1.100),
  (N'whistle', NULL, 0.020);
INSERT INTO dbo.products_on_hand (product_id, quantity) VALUES
  (101, 40), (102, 41), (103, 42), (104, 43), (105, 44), (106, 45);
INSERT INTO dbo.customers (first_name, last_name, email) VALUES
  (N'Ada', N'Novak', N'ada@example.com'),
  (N'Jonas', N'Žák', N'jonas@example.com'),
  (N'Mina', N'Berg', N'mina@example.com');
INSERT INTO dbo.orders (order_date, purchaser, quantity, product_id) VALUES
  ('2026-01-16', 1001, 1, 102),
  ('2026-01-17', 1002, 2, 105),
  ('2026-02-19', 1002, 2, 106),
  ('2026-02-21', 1003, 1, 101);
GO
