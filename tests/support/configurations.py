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

DB2 = "io.debezium.connector.db2.Db2Connector"

SQL_SERVER_MINIMAL = {
    "connector.class": SQL_SERVER,
    "topic.prefix": "shop",
    "database.hostname": "db.example.org",
    "database.user": "cdc",
    "database.names": "crm",
}

DB2_MINIMAL = {
    "connector.class": DB2,
    "topic.prefix": "shop",
    "database.hostname": "db.example.org",
    "database.user": "cdc",
    "database.dbname": "SHOP",
    "driver.sslConnection": "true",
}
