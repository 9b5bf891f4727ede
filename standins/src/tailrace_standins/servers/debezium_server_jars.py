"""Jars that are to be had only within Debezium Server's distribution: some converters, and what Debezium's scripts need.

The archive is large (782 MB) and is fetched only when one of its jars is asked for. Ivy downloads it, as other jars, with
whatever repository and proxy Ivy is set to; the few jars that are wanted stay in tailrace's cache, and the rest goes at once.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tarfile
from pathlib import Path, PurePosixPath
from typing import Final

from tailrace_standins.servers.child_process import dying_with_parent
from tailrace_standins.servers.java_jars import (
    Unavailable,
    fetched_folder,
    fetched_jars,
    jars_of_spark,
    needed_java,
    reason_in,
)

DEBEZIUM_SERVER: Final = "3.6.1.Final"
CONFLUENT, APICURIO, SCRIPTING = "confluent", "apicurio", "scripting"
_FETCH_TIMEOUT: Final = 1800  # seconds
_CASSANDRA: Final = "debezium-server/connectors/debezium-connector-cassandra-5/"
_CONVERTERS_OF_CONFLUENT: Final = (  # of Avro and Protobuf, 7.0.16, with what they use besides Kafka Connect
    r"(kafka-connect-avro|kafka-connect-protobuf|kafka-avro-serializer|kafka-protobuf|kafka-schema|common-utils|avro|guava"
    r"|commons-compress|commons-io|commons-lang3|swagger-annotations|jakarta\.ws\.rs-api|protobuf-java"
    r"|wire-schema|wire-runtime|okio|kotlin-stdlib|kotlinpoet|kotlin-reflect)"
)
_CONVERTERS_OF_APICURIO: Final = (  # 3.2.4, with HTTP clients of their own
    r"(apicurio-registry|kiota|microsoft-kiota|std-uritemplate|vertx-(core|auth|web|uri-template|bridge-common)"
    r"|netty-(buffer|codec|codec-(dns|http|http2|socks)|common|handler|handler-proxy|resolver|resolver-dns|transport"
    r"|transport-native-unix-common)(?=-4[^-]*\.jar)|opentelemetry-(api|context|common)|jakarta\.annotation-api)"
)
_SCRIPTS: Final = (  # Debezium's Filter and ContentBasedRouter with Groovy and GraalJS
    r"(debezium-scripting|groovy|groovy-jsr223|js-language|js-scriptengine|polyglot|truffle-api|regex|icu4j"
    r"|collections|nativeimage|word|xz)"
)
_WANTED: Final = (
    (CONFLUENT, _CASSANDRA, _CONVERTERS_OF_CONFLUENT),
    (APICURIO, "debezium-server/lib/", _CONVERTERS_OF_APICURIO),
    (APICURIO, _CASSANDRA, "(avro|commons-compress)"),
    (SCRIPTING, "debezium-server/lib_opt/", _SCRIPTS),
)
_PROTOBUF: Final = ("com.google.api.grpc:proto-google-common-protos:2.5.1",)  # that of the archive is too old for the converter
_IVY: Final = f"""<ivy-module version="2.0">
  <info organisation="tailrace" module="fetched"/>
  <dependencies>
    <dependency org="io.debezium" name="debezium-server-dist" rev="{DEBEZIUM_SERVER}" transitive="false">
      <artifact name="debezium-server-dist" type="tar.gz" ext="tar.gz"/>
    </dependency>
  </dependencies>
</ivy-module>
"""


def debezium_server_jars(part: str) -> list[Path]:
    """The jars of a part (`CONFLUENT`, `APICURIO`, `SCRIPTING`), which go with those of Kafka Connect. Raises `Unavailable`."""
    folder = fetched_folder(f"debezium-server-{DEBEZIUM_SERVER}", _fetch)
    found = sorted((folder / part).glob("*.jar"))
    if part == CONFLUENT:
        found += [jar for jar in fetched_jars("google-common-protos-2.5.1", _PROTOBUF) if "common-protos" in jar.name]
    return found


def _fetch(folder: Path) -> None:
    """Download the archive and keep the wanted jars in `folder`, a folder for each part."""
    archive = _downloaded(folder)
    with tarfile.open(archive, "r|gz") as entries:
        for entry in entries:
            _keep(entries, entry, folder)
    empty = sorted({part for part, _, _ in _WANTED if not (folder / part).exists()})
    if empty:
        raise Unavailable(f"the archive of Debezium Server has no jars of {', '.join(empty)}")
    shutil.rmtree(archive.parent)


def _keep(entries: tarfile.TarFile, entry: tarfile.TarInfo, folder: Path) -> None:
    """Copy a jar to the folders of the parts that want it."""
    name = PurePosixPath(entry.name).name
    wanting = [part for part, place, names in _WANTED if re.fullmatch(f"{place}{names}-[^/]*\\.jar", entry.name)]
    source = entries.extractfile(entry) if wanting else None
    if source is not None:
        content = source.read()  # at most 30 MB; a stream can be read once
        for part in wanting:
            (folder / part).mkdir(exist_ok=True)
            (folder / part / name).write_bytes(content)


def _downloaded(folder: Path) -> Path:
    """The archive, in a folder of its own with everything that Ivy keeps."""
    home = folder / "archive"
    home.mkdir()
    (home / "ivy.xml").write_text(_IVY)
    command = [
        *dying_with_parent(),
        *(str(needed_java() / "bin" / "java"), f"-Duser.home={home}"),
        *("-cp", ":".join(map(str, jars_of_spark("ivy-*.jar"))), "org.apache.ivy.Main"),
        *("-cache", str(home / "cache"), "-ivy", str(home / "ivy.xml")),
        *("-retrieve", str(home / "[artifact].[ext]"), "-symlink"),
    ]
    try:
        done = subprocess.run(  # noqa: S603
            command, capture_output=True, text=True, timeout=_FETCH_TIMEOUT, check=False, stdin=subprocess.DEVNULL
        )
    except subprocess.TimeoutExpired:
        raise Unavailable(f"the archive of Debezium Server took longer than {_FETCH_TIMEOUT} s") from None
    found = home / "debezium-server-dist.tar.gz"
    if not found.exists():
        raise Unavailable(f"the archive of Debezium Server could not be fetched: {reason_in(done.stdout + done.stderr)}")
    return found
