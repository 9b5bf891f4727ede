-- Outbox tables as Debezium's EventRouter expects them, and rows with NULLs, defaults and few columns.
SET sql_mode = '';
SET time_zone = '+00:00';
CREATE DATABASE d_formats;
USE d_formats;
CREATE TABLE outbox (
  id CHAR(36) PRIMARY KEY, aggregatetype VARCHAR(255) NOT NULL, aggregateid VARCHAR(255) NOT NULL, type VARCHAR(255) NOT NULL, payload JSON,
  tenant VARCHAR(20) DEFAULT 'none', part INT, version INT NOT NULL DEFAULT 1, made TIMESTAMP(6) NULL, made_dt DATETIME(3) NULL, made_ns DATETIME(6) NULL
);
INSERT INTO outbox VALUES
 ('4d47e190-0402-4048-bd2c-89dd54343cdc', 'order', '1', 'OrderCreated', '{"id": 1, "lines": [{"sku": "a", "n": 2}, {"sku": "b", "n": 1}], "total": 12.5, "note": null, "paid": true}', 't1', 0, 1, '2026-01-02 03:04:05.678901', '2026-01-02 03:04:05.678', '2026-01-02 03:04:05.678901'),
 ('406c07f3-26f0-4eea-a50c-109940064b8f', 'order', '2', 'OrderDeleted', NULL, 't2', 1, 2, NULL, NULL, NULL),
 ('00000000-0000-0000-0000-000000000003', 'customer', 'é"x', 'CustomerChanged', '{"name": "Zoë \\"Q\\"", "big": 9223372036854775807, "small": -1, "nested": {"deep": {"a": [1, 2, 3]}}, "empty": {}, "none": []}', NULL, NULL, 3, '1970-01-01 00:00:01', '1970-01-01 00:00:01', '1970-01-01 00:00:01'),
 ('00000000-0000-0000-0000-000000000004', 'Order Item', '4', 'x', '[1, "two", {"three": 3}]', 't1', 0, 1, '2026-01-02 03:04:05', '2026-01-02 03:04:05', '2026-01-02 03:04:05'),
 ('00000000-0000-0000-0000-000000000005', 'order', '5', 'x', '"text"', 't1', 2, 1, '2026-01-02 03:04:05', '2026-01-02 03:04:05', '2026-01-02 03:04:05'),
 ('00000000-0000-0000-0000-000000000006', '', '', '', '{}', '', 0, 1, '2026-01-02 03:04:05', '2026-01-02 03:04:05', '2026-01-02 03:04:05');
UPDATE outbox SET tenant = 'changed' WHERE aggregateid = '1';
DELETE FROM outbox WHERE aggregateid = '2';
CREATE TABLE outbox_bytes (
  id BINARY(16) PRIMARY KEY, aggregatetype VARCHAR(255) NOT NULL, aggregateid INT NOT NULL, type VARCHAR(255) NOT NULL, payload LONGBLOB, headers TEXT
);
INSERT INTO outbox_bytes VALUES
 (UNHEX('4D47E19004024048BD2C89DD54343CDC'), 'shipment', 1, 'Shipped', UNHEX('00000000010203FF'), 'traceparent=1'),
 (UNHEX('00000000000000000000000000000001'), 'shipment', 2, 'Shipped', NULL, NULL),
 (UNHEX('00000000000000000000000000000002'), 'shipment', 2, 'Empty', '', '');
DELETE FROM outbox_bytes WHERE aggregateid = 2;
CREATE TABLE outbox_text (
  id BIGINT PRIMARY KEY, aggregatetype VARCHAR(255) NOT NULL, aggregateid BIGINT NOT NULL, type VARCHAR(255), payload TEXT
);
INSERT INTO outbox_text VALUES (1, 'invoice', 10, 'Sent', '{"id": 10, "a": {"b": 1.5}, "c": ["x"]}'), (2, 'invoice', 11, 'Sent', 'no json'), (3, 'invoice', 12, NULL, NULL), (4, 'invoice', 13, 'Sent', '');
CREATE TABLE customers (
  id INT PRIMARY KEY, name VARCHAR(50) NOT NULL, email VARCHAR(50) DEFAULT 'nobody@example.org', country VARCHAR(2) DEFAULT 'nl', active BOOLEAN NOT NULL DEFAULT TRUE, age SMALLINT, credit DECIMAL(12,2) DEFAULT 10.50,
  rating DOUBLE, weight FLOAT DEFAULT 1.5, picture VARBINARY(20) DEFAULT 'ab', born DATE, wakes TIME(3), seen DATETIME(6) DEFAULT '2024-02-29 12:34:56.789012', updated TIMESTAMP NULL DEFAULT NULL, flags BIT(3) DEFAULT b'101',
  tags SET('a','b') DEFAULT 'a', status ENUM('new','old') DEFAULT 'new', extra JSON
);
INSERT INTO customers VALUES (1, 'Ann', 'ann@example.org', 'uk', TRUE, 30, 12.34, 4.5, 0.25, 'xyz', '1990-05-06', '07:30:00.5', '2025-01-01 00:00:00.000001', '2025-01-01 00:00:00', b'011', 'a,b', 'old', '{"k": [1]}');
INSERT INTO customers VALUES (2, 'Bob', NULL, NULL, FALSE, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO customers (id, name) VALUES (3, 'Chr"is \\ é 😀');
UPDATE customers SET active = FALSE, age = 31, credit = -0.01 WHERE id = 1;
UPDATE customers SET name = name WHERE id = 2;
UPDATE customers SET email = NULL, status = NULL WHERE id = 3;
UPDATE customers SET id = 30 WHERE id = 3;
DELETE FROM customers WHERE id = 1;
DELETE FROM customers WHERE id = 2;
TRUNCATE TABLE customers;
CREATE TABLE log_lines (line VARCHAR(100), level INT DEFAULT 3);
INSERT INTO log_lines VALUES ('first', 1), (NULL, NULL);
UPDATE log_lines SET level = 4 WHERE level = 1;
DELETE FROM log_lines WHERE level = 4;
