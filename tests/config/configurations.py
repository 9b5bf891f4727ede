"""Configurations that several tests begin from."""

MYSQL = "io.debezium.connector.mysql.MySqlConnector"

MINIMAL = {
    "connector.class": MYSQL,
    "topic.prefix": "shop",
    "database.hostname": "db.example.org",
    "database.user": "cdc",
    "database.server.id": "5401",
    "snapshot.mode": "no_data",
}
