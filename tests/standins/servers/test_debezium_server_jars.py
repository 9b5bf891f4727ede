"""Jars out of Debezium Server's archive. A small archive stands in for the one that Ivy would download."""

import io
import tarfile

import pytest

from tailrace_standins.servers import debezium_server_jars as module
from tailrace_standins.servers.debezium_server_jars import APICURIO, CONFLUENT, SCRIPTING, debezium_server_jars
from tailrace_standins.servers.java_jars import Unavailable, jar_cache

CASSANDRA = "debezium-server/connectors/debezium-connector-cassandra-5"
ENTRIES = (
    f"{CASSANDRA}/avro-1.11.3.jar",
    f"{CASSANDRA}/debezium-core-3.6.1.Final.jar",
    "debezium-server/connectors/debezium-connector-cassandra-4/avro-1.11.3.jar",
    "debezium-server/lib/apicurio-registry-utils-converter-3.2.4.jar",
    "debezium-server/lib/netty-codec-4.1.132.Final.jar",
    "debezium-server/lib/netty-codec-mqtt-4.1.132.Final.jar",
    "debezium-server/lib_opt/groovy-4.0.17.jar",
    "debezium-server/lib_opt/debezium-scripting-languages-3.6.1.Final.pom",
)


@pytest.fixture
def archive(tmp_path, monkeypatch):
    """Makes the archive that is found in place of the real one."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(module, "fetched_jars", lambda *_: [])
    calls = []

    def make(names):
        def downloaded(folder):
            calls.append(folder)
            (folder / "archive").mkdir()
            made = folder / "archive" / "dist.tar.gz"
            with tarfile.open(made, "w:gz") as entries:
                for name in names:
                    entry = tarfile.TarInfo(name)
                    entry.size = len(name)
                    entries.addfile(entry, io.BytesIO(name.encode()))
            return made

        monkeypatch.setattr(module, "_downloaded", downloaded)
        return calls

    return make


def test_only_the_jars_that_a_part_needs_are_kept(archive):
    calls = archive(ENTRIES)
    names = {part: [jar.name for jar in debezium_server_jars(part)] for part in (CONFLUENT, APICURIO, SCRIPTING)}
    assert names == {
        CONFLUENT: ["avro-1.11.3.jar"],
        APICURIO: ["apicurio-registry-utils-converter-3.2.4.jar", "avro-1.11.3.jar", "netty-codec-4.1.132.Final.jar"],
        SCRIPTING: ["groovy-4.0.17.jar"],
    }
    assert debezium_server_jars(CONFLUENT)[0].read_text() == f"{CASSANDRA}/avro-1.11.3.jar"
    assert len(calls) == 1
    assert not list(jar_cache().glob("*/archive"))


def test_an_archive_without_a_part_is_refused_and_leaves_nothing(archive):
    archive(ENTRIES[:5])
    with pytest.raises(Unavailable, match="has no jars of scripting"):
        debezium_server_jars(SCRIPTING)
    assert [path.suffix for path in jar_cache().iterdir()] == [".lock"]
