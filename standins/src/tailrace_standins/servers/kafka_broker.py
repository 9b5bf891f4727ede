"""A throwaway Kafka broker, for the tests and the demo.

    with KafkaBroker() as broker:
        Producer({"bootstrap.servers": broker.address})

It is one node, broker and controller (KRaft). It listens at free ports that stay the same over restarts: on the
loopback only, or for clients on another address, in a network namespace.
Clients use `address`. A second listener, `plain_address`, is for the broker itself and for inspection: it needs no security
and bypasses any proxy at `advertised_port`. A killed broker keeps what it acknowledged, because the machine's page cache
survives the process.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol, Self

from attrs import frozen

from tailrace_standins.servers import kafka_data
from tailrace_standins.servers.java_jars import Unavailable, needed_java
from tailrace_standins.servers.java_process import JavaProcess
from tailrace_standins.servers.kafka_archive import shared_classes
from tailrace_standins.servers.kafka_fencing import Fencing
from tailrace_standins.servers.kafka_jars import broker_jars
from tailrace_standins.servers.kafka_security import Security
from tailrace_standins.servers.ports import HOST, free_port, is_open
from tailrace_standins.servers.waiting import wait_until

__all__ = ["QUICK", "Broker", "GivenBroker", "KafkaBroker", "Unavailable"]

START_TIMEOUT = 120
METADATA_TIMEOUT = 5
QUICK = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")  # faster start and less memory; not for benchmarks
LOGGING = (
    "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
    "-Dorg.slf4j.simpleLogger.showDateTime=true",
    "-Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS",
)
ONE_NODE = {
    "offsets.topic.replication.factor": 1,
    "offsets.topic.num.partitions": 1,
    "transaction.state.log.replication.factor": 1,
    "transaction.state.log.min.isr": 1,
    "transaction.state.log.num.partitions": 4,
    "share.coordinator.state.topic.replication.factor": 1,
    "share.coordinator.state.topic.min.isr": 1,
    "share.coordinator.state.topic.num.partitions": 1,
    "group.initial.rebalance.delay.ms": 0,
    "log.cleaner.dedupe.buffer.size": 8 * 1024 * 1024,
    "log.retention.ms": -1,  # else Kafka deletes records with old timestamps (a test's of 1970) half a minute after the start
    # on a loaded machine, or during `pause`, the controller must not fence the broker; after a kill `kafka_fencing` does
    "broker.session.timeout.ms": 60_000,
}


class Broker(Protocol):
    """A running broker and its address."""

    @property
    def address(self) -> str:
        """The value of `bootstrap.servers` for clients."""


@frozen
class GivenBroker:
    """A broker that runs already, such as one that an environment variable names."""

    address: str


class KafkaBroker:
    """A throwaway broker; see the module.

    Args:
        port: for clients.
        address: where it listens for clients.
        directory: of its files, kept by `discard`; without one a temporary directory is made and removed.
        auto_create: whether topics are created when they are written to.
        partitions: of such topics, and of those that are created without a number.
        security: required of clients; None: no security.
        authorize: whether an access control list limits users; `plain_address` may do everything.
        advertised_port: the port that clients are told to connect to, for a proxy; can be set until `start`.
        heap: Java's maximum heap.
        java_options: further options of Java.
        fast_start: whether to use an archive of classes (`kafka_archive`), made the first time.
        properties: further server properties; they win over those of this module.

    """

    def __init__(
        self,
        *,
        port: int | None = None,
        address: str = HOST,
        directory: Path | None = None,
        auto_create: bool = True,
        partitions: int = 1,
        security: Security | None = None,
        authorize: bool = False,
        advertised_port: int | None = None,
        heap: str = "512m",
        java_options: tuple[str, ...] = QUICK,
        fast_start: bool = True,
        properties: Mapping[str, object] | None = None,
    ) -> None:
        self.port = port or free_port()
        self._address = address
        self.advertised_port = advertised_port
        self.security = security
        self.directory = directory
        self._own_directory = directory is None
        self._authorize = authorize
        self._topics = {"auto.create.topics.enable": str(auto_create).lower(), "num.partitions": partitions}
        self._properties = dict(properties or {})
        self._fast_start = fast_start
        self._java = [f"-Xmx{heap}", *java_options]
        self._internal_port, self._controller_port = free_port(), free_port()
        self._process: JavaProcess | None = None
        self._fencing: Fencing | None = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.discard()

    @property
    def address(self) -> str:
        """What clients are given as `bootstrap.servers`."""
        return f"{self._address}:{self.advertised_port or self.port}"

    @property
    def plain_address(self) -> str:
        """The address of the second listener, without security and past any proxy."""
        return f"{HOST}:{self._internal_port}"

    @property
    def pid(self) -> int:
        """The process id; 0 if it was never started."""
        return self._process.pid if self._process else 0

    def client_options(self) -> dict[str, str]:
        """The client options (librdkafka's names) with which the broker accepts a client."""
        return {"bootstrap.servers": self.address, **(self.security.client_options() if self.security else {})}

    def start(self) -> Self:
        """Start it and wait until it answers. Raises `Unavailable` without jars or Java."""
        if self.running():
            return self
        if self._process is None:
            self._process = self._prepared()
        try:
            self._fence()
            self._process.launch()
            wait_until(self._answers, START_TIMEOUT, lambda: f"the Kafka broker does not answer:\n{self.log_tail()}")
        except BaseException:
            self.kill()
            raise
        return self

    def running(self) -> bool:
        """Whether its process is running."""
        return self._process is not None and self._process.running()

    def stop(self) -> None:
        """Shut it down cleanly; its data stays for the next start."""
        if self._process is not None:
            self._process.terminate()

    def kill(self) -> None:
        """Kill it (SIGKILL); its data stays for the next start."""
        if self._process is not None:
            self._process.kill()

    def restart(self) -> Self:
        """Shut it down cleanly and start it again."""
        self.stop()
        return self.start()

    def pause(self) -> None:
        """Pause it: connections stay open, and nothing answers."""
        if self._process is not None:
            self._process.pause()

    def resume(self) -> None:
        """Resume it after `pause`."""
        if self._process is not None:
            self._process.resume()

    def discard(self) -> None:
        """Stop it and remove its files, except in a given directory."""
        self.kill()
        self._process = None
        if self._own_directory and self.directory is not None:
            shutil.rmtree(self.directory, ignore_errors=True)
            self.directory = None

    def log_tail(self) -> str:
        """The end of the server's log."""
        return self._process.log_tail() if self._process else ""

    def _prepared(self) -> JavaProcess:
        java, jars = needed_java() / "bin" / "java", broker_jars()
        if self.directory is None:
            self.directory = Path(tempfile.mkdtemp(prefix="tailrace-kafka-"))
        configuration = kafka_data.write(self.directory / "server.properties", self._configuration(self.directory))
        sharing = shared_classes(java, jars, _with_option) if self._fast_start else []
        command = [str(java), *self._java, *sharing, *LOGGING, "-cp", ":".join(map(str, jars))]
        if not (self.directory / kafka_data.DATA / "meta.properties").exists():
            self._make_data(self.directory, command, jars)
        self._fencing = Fencing(self.directory, self._configuration(self.directory), command)
        return JavaProcess([*command, "kafka.Kafka", str(configuration)], self.directory / "server.log")

    def _configuration(self, directory: Path) -> dict[str, object]:
        protocol = self.security.protocol if self.security else "PLAINTEXT"
        own = {"CLIENT": f"{self._address}:{self.port}", "INTERNAL": self.plain_address}
        return {
            "process.roles": "broker,controller",
            "node.id": 1,
            "controller.quorum.voters": f"1@{HOST}:{self._controller_port}",
            "controller.listener.names": "CONTROLLER",
            "listeners": _listeners({**own, "CONTROLLER": f"{HOST}:{self._controller_port}"}),
            "advertised.listeners": _listeners({**own, "CLIENT": self.address}),
            "listener.security.protocol.map": f"CLIENT:{protocol},INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT",
            "inter.broker.listener.name": "INTERNAL",
            "log.dirs": directory / kafka_data.DATA,
            **ONE_NODE,
            **self._topics,
            **(self.security.broker_properties("CLIENT", directory) if self.security else {}),
            **(_AUTHORIZER if self._authorize else {}),
            **self._properties,
        }

    def _make_data(self, directory: Path, command: list[str], jars: Sequence[Path]) -> None:
        if self.security is None and not self._properties:
            kafka_data.copy_into(directory, command, jars, self._configuration)
        else:
            users = self.security.format_arguments() if self.security else ()
            kafka_data.format_in(directory, command, self._configuration, users)

    def _fence(self) -> None:
        if self._fencing is not None and self._fencing.is_needed():
            self._fencing.run()

    def _answers(self) -> bool:
        if not self.running():
            raise Unavailable(f"the Kafka broker ended while starting:\n{self.log_tail()}")
        return is_open(self.port, self._address) and is_open(self._internal_port) and _has_broker(self.plain_address)


_AUTHORIZER = {
    "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    "super.users": "User:ANONYMOUS",
}


def _with_option(option: str) -> KafkaBroker:
    """A broker with default arguments and one more Java option."""
    return KafkaBroker(java_options=(*QUICK, option), fast_start=False)


def _listeners(places: Mapping[str, str]) -> str:
    return ",".join(f"{name}://{place}" for name, place in places.items())


def _has_broker(address: str) -> bool:
    """Whether the metadata has a broker; before that, clients get retriable errors."""
    from confluent_kafka import KafkaException
    from confluent_kafka.admin import AdminClient

    try:
        return bool(AdminClient({"bootstrap.servers": address}).list_topics(timeout=METADATA_TIMEOUT).brokers)
    except KafkaException:
        return False
