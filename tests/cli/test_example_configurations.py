"""The example configurations of Debezium's documents, with nothing but address, login and certificates changed."""

import json
import subprocess
import sys

import pytest

from support.jks import jks
from tailrace.connectors.load import from_mapping
from tailrace.schema_history.configured import schema_history_of
from tailrace.streaming.jobs import load_job
from tailrace.streaming.targets import Target
from tailrace_standins.servers.sqlserver_server import StandInServer

NOBODY = "kafka:9092"  # there is no such host
MYSQL = {
    "connector.class": "io.debezium.connector.mysql.MySqlConnector",
    "database.hostname": "192.168.99.100",
    "database.port": "3306",
    "database.user": "debezium-user",
    "database.password": "debezium-user-pw",
    "database.server.id": "184054",
    "topic.prefix": "fullfillment",
    "database.include.list": "inventory",
    "schema.history.internal.kafka.bootstrap.servers": NOBODY,
    "schema.history.internal.kafka.topic": "schemahistory.fullfillment",
    "include.schema.changes": "true",
}
SQLSERVER = {
    "connector.class": "io.debezium.connector.sqlserver.SqlServerConnector",
    "database.hostname": "192.168.99.100",
    "database.port": "1433",
    "database.user": "sa",
    "database.password": "Password!",
    "database.names": "testDB1,testDB2",
    "topic.prefix": "fullfillment",
    "table.include.list": "dbo.customers",
    "schema.history.internal.kafka.bootstrap.servers": NOBODY,
    "schema.history.internal.kafka.topic": "schemahistory.fullfillment",
    "driver.encrypt": True,
    "driver.trustServerCertificate": False,
    "driver.trustStore": "path/to/trust-store",
    "driver.trustStorePassword": "password-for-trust-store",
}
OLD_SQLSERVER = {
    "connector.class": "io.debezium.connector.sqlserver.SqlServerConnector",
    "database.hostname": "192.168.99.100",
    "database.port": "1433",
    "database.user": "sa",
    "database.password": "Password!",
    "database.dbname": "testDB",
    "database.server.name": "fullfillment",
    "table.include.list": "dbo.customers",
    "database.history.kafka.bootstrap.servers": NOBODY,
    "database.history.kafka.topic": "dbhistory.fullfillment",
}
DB2 = {
    "connector.class": "io.debezium.connector.db2.Db2Connector",
    "database.hostname": "192.168.99.100",
    "database.port": "50000",
    "database.user": "db2inst1",
    "database.password": "Password!",
    "database.dbname": "mydatabase",
    "topic.prefix": "fullfillment",
    "table.include.list": "MYSCHEMA.CUSTOMERS",
    "schema.history.internal.kafka.bootstrap.servers": NOBODY,
    "schema.history.internal.kafka.topic": "schemahistory.fullfillment",
    "driver.sslConnection": "true",  # the one line that they don't have: no password goes over a network without TLS
}
SECURE_HISTORY = {
    f"database.history.{client}.{name}": text
    for client in ("producer", "consumer")
    for name, text in {
        "security.protocol": "SSL",
        "ssl.keystore.location": "/var/private/ssl/kafka.server.keystore.jks",
        "ssl.keystore.password": "test1234",
        "ssl.truststore.location": "/var/private/ssl/kafka.server.truststore.jks",
        "ssl.truststore.password": "test1234",
        "ssl.key.password": "test1234",
    }.items()
}
EXAMPLES = {
    "MySQL": MYSQL,
    "SQL Server": SQLSERVER,
    "SQL Server, 1.x": OLD_SQLSERVER,
    "SQL Server, 1.x, with a secure history": OLD_SQLSERVER | SECURE_HISTORY,
    "Db2": DB2,
}


@pytest.fixture
def configured(tmp_path):
    def configured(config):
        path = tmp_path / "connector.json"
        path.write_text(json.dumps({"name": "inventory-connector", "config": config}))
        return path

    return configured


@pytest.mark.parametrize("example", EXAMPLES.values(), ids=EXAMPLES)
def test_into_kafka_the_schema_history_s_topic_is_kept_too(configured, example, tmp_path):
    job, settings = load_job(configured(example), Target.parse("kafka:there:9092", tmp_path))
    for found in (settings, from_mapping(job.document)):
        assert found.schema_history_internal_kafka_topic.endswith("history.fullfillment")
    assert not any("neither read nor written" in warning for warning in settings.warnings)


@pytest.mark.parametrize("example", EXAMPLES.values(), ids=EXAMPLES)
@pytest.mark.parametrize("to", ["files", "console"])
def test_elsewhere_nobody_is_asked_for_the_schema_history_and_a_warning_says_so(configured, example, to, tmp_path):
    target = Target.parse(f"files:{tmp_path}" if to == "files" else to, tmp_path / "checkpoint")
    job, settings = load_job(configured(example), target)
    of_run = from_mapping(job.document)
    assert schema_history_of(of_run) is None
    assert (of_run.topic_prefix, of_run.name) == ("fullfillment", "inventory-connector")
    (warning,) = (each for each in settings.warnings if "history.fullfillment is neither read nor written" in each)
    assert "tailrace offsets export" in warning
    assert settings.schema_history_internal_kafka_topic, "what hands back to Debezium has to know it"


def test_a_history_in_a_file_is_kept_with_any_target(configured, tmp_path):
    file = {"schema.history.internal": "file", "schema.history.internal.file.filename": str(tmp_path / "history")}
    config = {name: text for name, text in MYSQL.items() if "history" not in name} | file
    job, settings = load_job(configured(config), Target.parse(f"files:{tmp_path}", None))
    assert str(schema_history_of(from_mapping(job.document))) == f"the schema history {tmp_path / 'history'}"
    assert settings.warnings == ()


def run(config, to, folder):
    command = [sys.executable, "-m", "tailrace.cli.main", "run", str(config), "--to", to, "--available-now"]
    ended = subprocess.run([*command, "--checkpoint", str(folder)], capture_output=True, text=True, check=False, timeout=150)
    assert ended.returncode == 0, ended.stderr
    return ended.stderr


@pytest.mark.slow
@pytest.mark.spark
@pytest.mark.drivers
def test_the_example_for_sql_server_runs_into_files_by_a_trust_store_and_without_a_broker(
    sqlserver, configured, tmp_path
):
    from cryptography import x509

    if not isinstance(sqlserver.server, StandInServer):
        pytest.skip("a server that a URL names does not show its certificate")
    certificate = x509.load_pem_x509_certificate(sqlserver.server.command("certificate").encode())
    (tmp_path / "trust.jks").write_bytes(jks("of-the-store", trusted=[certificate]))
    sqlserver.sql("CREATE TABLE dbo.customers (id INT PRIMARY KEY)")
    sqlserver.capture("customers")
    sqlserver.sql("INSERT dbo.customers VALUES (1), (2)")
    sqlserver.resume()
    own = {
        "database.hostname": "localhost",
        "database.port": sqlserver.server.port,
        "database.user": sqlserver.server.user,
        "database.password": sqlserver.server.password,
        "database.names": sqlserver.name,
        "driver.trustStore": str(tmp_path / "trust.jks"),
        "driver.trustStorePassword": "of-the-store",
    }
    told = run(configured(SQLSERVER | own), f"files:{tmp_path / 'out'}", tmp_path / "checkpoint")
    assert "schemahistory.fullfillment is neither read nor written" in " ".join(told.split())
    lines = [
        line
        for file in (tmp_path / "out" / f"fullfillment.{sqlserver.name}.dbo.customers").glob("*.jsonl")
        for line in file.read_text().splitlines()
    ]
    assert sorted(json.loads(line)["key"]["payload"]["id"] for line in lines) == [1, 2]
