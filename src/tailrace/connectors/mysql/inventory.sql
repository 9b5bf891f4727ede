-- The shop of the demo: the tables of Debezium's tutorial, with rows of our own.
CREATE DATABASE inventory CHARACTER SET utf8mb4;
USE inventory;

CREATE TABLE products (
  id INT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  name VARCHAR(255) NOT NULL,
  description VARCHAR(512),
  weight FLOAT
) AUTO_INCREMENT = 101;

CREATE TABLE products_on_hand (
  product_id INT NOT NULL PRIMARY KEY,
  quantity INT NOT NULL,
  FOREIGN KEY (product_id) REFERENCES products (id)
);

CREATE TABLE customers (
  id INT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  first_name VARCHAR(255) NOT NULL,
  last_name VARCHAR(255) NOT NULL,
  email VARCHAR(255) NOT NULL UNIQUE
) AUTO_INCREMENT = 1001;

CREATE TABLE addresses (
  id INT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  customer_id INT NOT NULL,
  street VARCHAR(255) NOT NULL,
  city VARCHAR(255) NOT NULL,
  state VARCHAR(255) NOT NULL,
  zip VARCHAR(255) NOT NULL,
  type ENUM('SHIPPING', 'BILLING', 'LIVING') NOT NULL,
  FOREIGN KEY (customer_id) REFERENCES customers (id)
) AUTO_INCREMENT = 10;

CREATE TABLE orders (
  order_number INT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  order_date DATE NOT NULL,
  purchaser INT NOT NULL,
  quantity INT NOT NULL,
  product_id INT NOT NULL,
  FOREIGN KEY (purchaser) REFERENCES customers (id),
  FOREIGN KEY (product_id) REFERENCES products (id)
) AUTO_INCREMENT = 10001;

INSERT INTO products (name, description, weight) VALUES
  ('kettle', 'steel kettle, 1.7 litres', 1.2),
  ('lantern', 'storm lantern for candles', 0.85),
  ('rope', 'climbing rope, 40 metres', 2.6),
  ('compass', 'compass with a mirror', 0.09),
  ('tent', 'tent for two, green', 3.4);

INSERT INTO products_on_hand SELECT id, 40 + id % 7 FROM products;

INSERT INTO customers (first_name, last_name, email) VALUES
  ('Ada', 'Berg', 'ada.berg@example.com'),
  ('Luis', 'Ferreira', 'luis@example.com'),
  ('Mei', 'Tanaka', 'mei.tanaka@example.com'),
  ('Zoë', 'Müller', 'zoe@example.com');

INSERT INTO addresses (customer_id, street, city, state, zip, type)
  SELECT id, CONCAT(id - 1000, ' Harbour Street'), 'Springvale', 'Coast', CAST(10000 + id AS CHAR), 'SHIPPING' FROM customers;

INSERT INTO orders (order_date, purchaser, quantity, product_id) VALUES
  ('2026-01-16', 1001, 1, 102), ('2026-01-17', 1002, 2, 105), ('2026-02-19', 1002, 2, 103);
