"""Configurations that several tests start from."""

MYSQL = "io.debezium.connector.mysql.MySqlConnector"

MINIMAL = {
    "connector.class": MYSQL,
    "topic.prefix": "shop",
    "database.hostname": "db.example.org",
    "database.user": "cdc",
    "database.server.id": "5401",
    "snapshot.mode": "no_data",
}

SQL_SERVER = "io.debezium.connector.sqlserver.SqlServerConnector"

SQL_SERVER_MINIMAL = {
    "connector.class": SQL_SERVER,
    "topic.prefix": "shop",
    "database.hostname": "db.example.org",
    "database.user": "cdc",
    "database.names": "crm",
}
