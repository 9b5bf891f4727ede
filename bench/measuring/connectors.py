"""Configures and starts each side. Both get the same connector properties.

Debezium runs in Kafka Connect standalone, with heap and garbage collector of Kafka's own start script and the defaults of
worker, connector and producer, except for the case's compression. A stored offset and an empty schema history make it begin
before the tables were created. tailrace begins at the same position, by `tailrace offsets set`.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.measuring.reached import Servers as Reached
from bench.measuring.servers import ROOT, Servers
from bench.run import properties as common_properties
from tests.differential import debezium, jars

from tailrace.connect_offsets.serialized_map import write_map
from tailrace_standins.servers.debezium_server_jars import CONFLUENT, debezium_server_jars

KAFKA_SCRIPT = (  # bin/connect-standalone.sh with bin/kafka-run-class.sh
    *(
        "-Xms256M",
        "-Xmx2G",
        "-server",
        "-XX:+UseG1GC",
        "-XX:MaxGCPauseMillis=20",
        "-XX:InitiatingHeapOccupancyPercent=35",
    ),
    *("-XX:+ExplicitGCInvokesConcurrent", "-Djava.awt.headless=true"),
)
PLUGIN_JARS = ("io.debezium_", "com.mysql_", "com.microsoft.sqlserver_", "com.ibm.db2_", "org.antlr_", "com.datadoghq_")
CHECKOUT = "TAILRACE_BENCH_CHECKOUT"  # environment variable for the sources of another checkout
LATENCY_TUNED = {"poll.interval.ms": "10", "producer.override.linger.ms": "0"}


def properties(servers: Servers, database: str, prefix: str, *, compression: str, schemas: bool) -> dict[str, str]:
    """The connector's properties, for both sides."""
    given = common_properties(servers.mysql, database, schemas=schemas)
    del given["tombstones.on.delete"]  # both sides use Debezium's default: a tombstone after each delete
    return given | {"topic.prefix": prefix, "producer.override.compression.type": compression}


def tailrace_command(
    servers: Reached, given: Mapping[str, str], folder: Path, *, available_now: bool, master: str | None = None
) -> list[str]:
    """The command `tailrace run`."""
    (folder / "connector.json").write_text(json.dumps(given, indent=2))
    options = ["--available-now"] if available_now else []
    options += ["--master", master] if master else []
    return [*_tailrace("run", servers, folder), *options, "--checkpoint", str(folder / "checkpoint")]


def tailrace_begins_at(servers: Reached, given: Mapping[str, str], folder: Path, offset: Mapping[str, Any]) -> None:
    """Run `tailrace offsets set`."""
    (folder / "connector.json").write_text(json.dumps(given, indent=2))
    command = [
        *_tailrace("offsets set", servers, folder),
        json.dumps(offset),
        "--checkpoint",
        str(folder / "checkpoint"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=tailrace_env(), timeout=180)
    if done.returncode:
        raise RuntimeError(f"tailrace offsets set failed: {(done.stderr or done.stdout)[-2000:]}")


def tailrace_env() -> dict[str, str]:
    """The environment of tailrace: the sources of this checkout, or of the one compared with it (`bench/versions.py`)."""
    return os.environ | {"PYTHONPATH": str(Path(os.environ.get(CHECKOUT, ROOT)) / "src")}


def _tailrace(words: str, servers: Reached, folder: Path) -> list[str]:
    config = str(folder / "connector.json")
    return [sys.executable, "-m", "tailrace.cli.main", *words.split(), config, "--to", f"kafka:{servers.address}"]


def connect_command(
    servers: Reached, given: Mapping[str, str], folder: Path, told: Sequence[str] = ()
) -> list[str]:
    """The command of Kafka Connect standalone with the connector; `told`: classes of which more than warnings is logged."""
    connector = given["connector.class"]
    _write_properties(folder / "worker.properties", _worker(servers, folder, given))
    _write_properties(folder / "connector.properties", {**given, **_own_history(folder)})
    class_path = ":".join(str(jar) for jar in jars.debezium_jars(connector) if not jar.name.startswith(PLUGIN_JARS))
    java = jars.java_home() / "bin" / "java"
    main = "org.apache.kafka.connect.cli.ConnectStandalone"
    logging = ["-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"]
    logging += [f"-Dorg.slf4j.simpleLogger.log.{name}=info" for name in told]
    files = [str(folder / "worker.properties"), str(folder / "connector.properties")]
    return [str(java), *KAFKA_SCRIPT, *logging, "-cp", class_path, main, *files]


def debezium_begins_at(given: Mapping[str, str], folder: Path, offset: Mapping[str, Any]) -> None:
    """Store MySQL's offset as Connect does, and a schema history without tables."""
    history = debezium.first_history(given["topic.prefix"], offset)
    store_offset(given, folder, {"server": given["topic.prefix"]}, offset, history)


def store_offset(
    given: Mapping[str, str], folder: Path, partition: Mapping[str, str], offset: Mapping[str, Any], history: str
) -> None:
    """Write Connect's offsets file and Debezium's schema history file."""
    key = json.dumps([given["name"], partition], separators=(",", ":"))
    value = json.dumps(offset, separators=(",", ":"))
    (folder / "offsets.dat").write_bytes(write_map({key.encode(): value.encode()}))
    (folder / "history.jsonl").write_text(history)


def _worker(servers: Reached, folder: Path, given: Mapping[str, str]) -> dict[str, str]:
    converters = [given[name] for name in ("key.converter", "value.converter") if name in given]
    return {
        "bootstrap.servers": servers.address,
        "key.converter": "org.apache.kafka.connect.json.JsonConverter",
        "value.converter": "org.apache.kafka.connect.json.JsonConverter",
        "offset.storage.file.filename": str(folder / "offsets.dat"),
        "connector.client.config.override.policy": "All",
        "listeners": "http://127.0.0.1:0",
        "plugin.path": str(_plugins(folder, given["connector.class"], converters)),
    }


def _plugins(folder: Path, connector: str, converters: Iterable[str]) -> Path:
    """The plugin folder, in which the connector and converters have folders of their own, as Connect requires."""
    plugins = folder / "plugins"
    _copied([jar for jar in jars.debezium_jars(connector) if jar.name.startswith(PLUGIN_JARS)], plugins / "debezium-connector")
    if any("io.confluent." in converter for converter in converters):
        _copied(debezium_server_jars(CONFLUENT), plugins / "confluent-converters")
    return plugins


def _copied(found: Iterable[Path], plugin: Path) -> None:
    if not plugin.exists():
        plugin.mkdir(parents=True)
        for jar in found:
            shutil.copy(jar, plugin)


def _own_history(folder: Path) -> dict[str, str]:
    return {
        "schema.history.internal": "io.debezium.storage.file.history.FileSchemaHistory",
        "schema.history.internal.file.filename": str(folder / "history.jsonl"),
    }


def _write_properties(path: Path, given: Mapping[str, str]) -> None:
    escaped = {name: value.replace("\\", "\\\\") for name, value in given.items()}
    path.write_text("".join(f"{name}={value}\n" for name, value in escaped.items()))
