"""A standalone Spark cluster whose master and workers are on machines of their own."""

import sys
from contextlib import suppress
from pathlib import Path

import psutil
import pyspark

from tailrace_standins.servers.waiting import wait_until

START_SECONDS = 120
PORT = 7077
SPARK_CLASS = Path(pyspark.__file__).parent / "bin" / "spark-class"


PROPERTIES = "/tmp/cluster.conf"  # on each machine
SECRET = """\
spark.authenticate true
spark.authenticate.secret secret-of-the-cluster
spark.network.crypto.enabled true
"""


class Spark:
    """`workers` are machines, each with `cores`. Its processes, and drivers, know one another by a secret."""

    def __init__(self, master, workers, *, cores=2, properties=None):
        self.url = f"spark://{master.address}:{PORT}"
        self._master = master
        self._workers = workers
        self._cores = cores
        self._properties = properties or {}

    def start(self):
        """Start all, and wait until the workers are registered."""
        self._launch(self._master, "master.Master", "--port", str(PORT))
        _wait_for(self._master, "master", "I have been elected leader")
        for worker in self._workers:
            self.start_worker(worker)
        for worker in self._workers:
            _wait_for(worker, "worker", "Successfully registered with master")

    def start_worker(self, machine):
        self._launch(
            machine, "worker.Worker", "--cores", str(self._cores), "--memory", "2g", "--work-dir", "/tmp/work", self.url
        )

    def _launch(self, machine, main_class, *arguments):
        machine.write(PROPERTIES, SECRET + "".join(f"{name} {value}\n" for name, value in self._properties.items()))
        own = ["--host", machine.address, "--webui-port", "0", "--properties-file", PROPERTIES]
        machine.start(
            [SPARK_CLASS, f"org.apache.spark.deploy.{main_class}", *own, *arguments],
            log=main_class.partition(".")[0],
            environment={
                "SPARK_LOCAL_IP": machine.address,
                "SPARK_DAEMON_MEMORY": "128m",
                "SPARK_DAEMON_JAVA_OPTS": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
                "SPARK_NO_DAEMONIZE": "1",
                "PYSPARK_PYTHON": sys.executable,
            },
        )


def executors(machine):
    """The executors' Java processes on a machine."""
    return [each for each, command in commands(machine) if any(word.endswith("CoarseGrainedExecutorBackend") for word in command)]


def tasks(machine):
    """The Python processes of tasks on a machine."""
    return [each for each, command in commands(machine) if "pyspark.worker" in command or "pyspark.daemon" in command]


def commands(machine):
    """The processes on a machine, each with its command line."""
    for each in machine.processes():
        with suppress(psutil.NoSuchProcess):  # it has ended meanwhile
            yield each, each.cmdline()


def _wait_for(machine, log, text):
    wait_until(
        lambda: text in machine.log(log), START_SECONDS, lambda: f"{log} of {machine.name} does not start:\n{machine.log(log)[-3000:]}"
    )
