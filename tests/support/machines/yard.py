"""Servers and a Spark cluster, each on a machine of its own: MySQL, a broker, a master, two workers, and machines for drivers.

       test ─────┐                          the switch; every line is a wire with two ends
       mysql ────┤
       kafka ────┼──── driver, driver2      `tailrace run` runs here: no disk is shared with the workers
       master ───┤
       worker1 ──┴──── worker2
"""

from contextlib import ExitStack, contextmanager
from typing import NamedTuple

from support.machines.network import Network
from support.machines.spark import Spark
from tailrace_standins.servers.kafka_broker import KafkaBroker
from tailrace_standins.servers.mysql_server import GivenServer, MySqlServer

WORKERS = ("worker1", "worker2")
DRIVERS = ("driver", "driver2")
CORES = 4  # of each worker, so that one of them can run all lanes
PARTITIONS = 3
TIMEOUT_SECONDS = 20  # of Spark's network: after that an executor that is not heard of counts as lost
ADMIN = "boss"


class Place(NamedTuple):
    """Where a server listens."""

    host: str
    port: int

    @property
    def address(self):
        return f"{self.host}:{self.port}"

    @property
    def plain_address(self):
        return self.address


class Yard(NamedTuple):
    """What is there. The test's own thread is on the network too."""

    network: Network
    mysql: GivenServer
    broker: Place
    spark: Spark
    workers: list
    drivers: list

    @classmethod
    @contextmanager
    def made(cls, folder, *, delay_ms=0):
        """All of it, started, with a delay on each wire of a worker or driver."""
        with Network(folder) as network, ExitStack() as ends:
            for name in ("test", "mysql", "kafka"):
                network.place(name)
            mysql = ends.enter_context(mysql_at(network))
            broker = ends.enter_context(broker_at(network))
            master = network.machine("master")
            workers = [network.machine(name, delay_ms=delay_ms) for name in WORKERS]
            drivers = [network.machine(name, delay_ms=delay_ms) for name in DRIVERS]
            spark = Spark(master, workers, cores=CORES, properties={"spark.worker.timeout": TIMEOUT_SECONDS})
            spark.start()
            with network.at("test"):
                yield cls(network, mysql, broker, spark, workers, drivers)


@contextmanager
def mysql_at(network):
    """A MySQL server at the place of that name; it is given as others reach it, with a user that may do all."""
    address = network.address("mysql")
    with network.at("mysql"):
        server = MySqlServer(address=address).start()
    try:
        with network.at("mysql"):
            server.create_connector_user(ADMIN, ADMIN, "ALL")
        yield GivenServer(f"mysql://{ADMIN}:{ADMIN}@{address}:{server.port}")
    finally:
        server.discard()


@contextmanager
def broker_at(network):
    """A broker at the place "kafka", as others reach it."""
    address = network.address("kafka")
    often = {"transaction.abort.timed.out.transaction.cleanup.interval.ms": 1000}
    with network.at("kafka"):
        broker = KafkaBroker(address=address, partitions=PARTITIONS, properties=often).start()
    try:
        yield Place(address, broker.port)
    finally:
        broker.discard()
