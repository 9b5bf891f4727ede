"""A real Kafka broker, thrown away after use: for the tests and for the demo.

    with KafkaBroker() as broker:
        Producer({"bootstrap.servers": broker.address})

One node that is broker and controller (KRaft), listening on the loopback only, at free ports that stay the same over
its restarts. Clients use `address`; a second listener, `plain_address`, is there for the broker itself and for looking
in from outside whatever `security` the first one asks for and whatever proxy its `advertised_port` is. A broker that is
killed keeps what it acknowledged, as the machine's page cache outlives it.
"""

from __future__ import annotations

import base64
import shutil
import tempfile
import uuid
from collections.abc import Mapping
from pathlib import Path
from subprocess import DEVNULL, TimeoutExpired, run
from typing import Protocol, Self

from attrs import frozen

from tailrace_standins.servers.child_process import dying_with_parent
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
FORMAT_TIMEOUT = 60
METADATA_TIMEOUT = 5
QUICK = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")  # starts sooner and is lean; not for benchmarks
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
    "log.retention.ms": -1,  # half a minute after the start Kafka looks for records that are old by their own timestamps
    # a loaded machine or `pause` must not make its own controller fence it; after a kill `kafka_fencing` does
    "broker.session.timeout.ms": 60_000,
}


class Broker(Protocol):
    """A broker that somebody runs, and how to reach it."""

    @property
    def address(self) -> str:
        """What clients are given as `bootstrap.servers`."""


@frozen
class GivenBroker:
    """A broker that is used as it is."""

    address: str


class KafkaBroker:
    """A broker of our own; see the module.

    Args:
        port: where clients connect to.
        directory: where its files go; kept by `discard`. Without one a temporary one is made and removed.
        auto_create: whether topics appear when they are written to.
        partitions: of such topics, and of those that are created without a number.
        security: what clients are asked for; None: nothing.
        authorize: whether users may only do what an access control list allows them; `plain_address` may do all.
        advertised_port: where clients are told to connect to, for a proxy; can be set until `start`.
        heap: Java's largest heap.
        java_options: further options of Java's.
        fast_start: whether to start from an archive of classes (`kafka_archive`), made the first time.
        properties: further ones of the server's configuration; they win over those given here.

    """

    def __init__(
        self,
        *,
        port: int | None = None,
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
        return f"{HOST}:{self.advertised_port or self.port}"

    @property
    def plain_address(self) -> str:
        """Another way in, without security and past any proxy."""
        return f"{HOST}:{self._internal_port}"

    @property
    def pid(self) -> int:
        """The process id; 0 when it was never started."""
        return self._process.pid if self._process else 0

    def client_options(self) -> dict[str, str]:
        """The options, by librdkafka's names, of a client that is let in."""
        return {"bootstrap.servers": self.address, **(self.security.client_options() if self.security else {})}

    def start(self) -> Self:
        """Start it and wait until it answers; `Unavailable` when there are no jars or no Java."""
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
        """Whether its process is there."""
        return self._process is not None and self._process.running()

    def stop(self) -> None:
        """End it in good order; its data stays for another start."""
        if self._process is not None:
            self._process.terminate()

    def kill(self) -> None:
        """End it at once (kill -9); its data stays for another start."""
        if self._process is not None:
            self._process.kill()

    def restart(self) -> Self:
        """Stop it in good order and start it again."""
        self.stop()
        return self.start()

    def pause(self) -> None:
        """Hold it still: connections stay open, and nothing answers."""
        if self._process is not None:
            self._process.pause()

    def resume(self) -> None:
        """Let it go on after `pause`."""
        if self._process is not None:
            self._process.resume()

    def discard(self) -> None:
        """End it and remove what it left, but not a directory that was given."""
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
        configuration = _write(self.directory / "server.properties", self._configuration(self.directory))
        sharing = shared_classes(java, jars, _with_option) if self._fast_start else []
        command = [str(java), *self._java, *sharing, *LOGGING, "-cp", ":".join(map(str, jars))]
        if not (self.directory / "data" / "meta.properties").exists():
            self._format(command, configuration)
        self._fencing = Fencing(self.directory, self._configuration(self.directory), command)
        return JavaProcess([*command, "kafka.Kafka", str(configuration)], self.directory / "server.log")

    def _configuration(self, directory: Path) -> dict[str, object]:
        protocol = self.security.protocol if self.security else "PLAINTEXT"
        ports = {"CLIENT": self.port, "INTERNAL": self._internal_port}
        return {
            "process.roles": "broker,controller",
            "node.id": 1,
            "controller.quorum.voters": f"1@{HOST}:{self._controller_port}",
            "controller.listener.names": "CONTROLLER",
            "listeners": _listeners({**ports, "CONTROLLER": self._controller_port}),
            "advertised.listeners": _listeners({**ports, "CLIENT": self.advertised_port or self.port}),
            "listener.security.protocol.map": f"CLIENT:{protocol},INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT",
            "inter.broker.listener.name": "INTERNAL",
            "log.dirs": directory / "data",
            **ONE_NODE,
            **self._topics,
            **(self.security.broker_properties("CLIENT", directory) if self.security else {}),
            **(_AUTHORIZER if self._authorize else {}),
            **self._properties,
        }

    def _format(self, command: list[str], configuration: Path) -> None:
        cluster = base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
        # the value stays one word with its option: it may begin with "-"
        arguments = ["format", f"--cluster-id={cluster}", "--config", str(configuration)]
        users = self.security.format_arguments() if self.security else []
        whole = [*dying_with_parent(), *command, "kafka.tools.StorageTool", *arguments, *users]
        try:
            done = run(whole, capture_output=True, text=True, check=False, stdin=DEVNULL, timeout=FORMAT_TIMEOUT)  # noqa: S603
        except TimeoutExpired:
            raise Unavailable(f"making the broker's data directory took longer than {FORMAT_TIMEOUT} s") from None
        if done.returncode:
            raise Unavailable(f"the broker's data directory could not be made:\n{done.stderr[-2000:]}")

    def _fence(self) -> None:
        if self._fencing is not None and self._fencing.is_needed():
            self._fencing.run()

    def _answers(self) -> bool:
        if not self.running():
            raise Unavailable(f"the Kafka broker ended while starting:\n{self.log_tail()}")
        return is_open(self.port) and is_open(self._internal_port) and _has_broker(self.plain_address)


_AUTHORIZER = {
    "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    "super.users": "User:ANONYMOUS",
}


def _with_option(option: str) -> KafkaBroker:
    """A broker like most, with one more option of Java's."""
    return KafkaBroker(java_options=(*QUICK, option), fast_start=False)


def _write(path: Path, properties: Mapping[str, object]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(mode=0o600)
    path.write_text("".join(f"{name}={value}\n" for name, value in properties.items()))
    return path


def _listeners(ports: Mapping[str, int]) -> str:
    return ",".join(f"{name}://{HOST}:{port}" for name, port in ports.items())


def _has_broker(address: str) -> bool:
    """Whether the metadata name a broker: before, a client is told to try again."""
    from confluent_kafka import KafkaException
    from confluent_kafka.admin import AdminClient

    try:
        return bool(AdminClient({"bootstrap.servers": address}).list_topics(timeout=METADATA_TIMEOUT).brokers)
    except KafkaException:
        return False
