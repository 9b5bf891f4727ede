"""A standalone Spark cluster on the loopback: a master and workers, each in its own process."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pyspark

from tailrace.java import provide_java
from tailrace.starting.fork_server import SOCKET as FORK_SERVER
from tailrace_standins.servers.ports import free_port

START_SECONDS = 120


class SparkCluster:
    def __init__(self, folder: Path, workers: int = 2, properties: Path | None = None) -> None:
        """`properties`: a file of Spark's settings for master and workers."""
        self._properties = [] if properties is None else ["--properties-file", str(properties)]
        self._folder = folder
        self._workers = workers
        self._processes: list[subprocess.Popen] = []
        self._port = free_port()
        self.url = f"spark://127.0.0.1:{self._port}"

    def __enter__(self):
        try:
            deploy = "org.apache.spark.deploy"
            self._start(f"{deploy}.master.Master", "--port", str(self._port))
            self._wait_for("master", "I have been elected leader")
            for n in range(self._workers):
                work = str(self._folder / f"work-{n}")
                self._start(f"{deploy}.worker.Worker", "--cores", "1", "--memory", "1g", "--work-dir", work, self.url)
            for n in range(self._workers):
                self._wait_for(f"worker {n}", "Successfully registered with master", n + 1)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for process in reversed(self._processes):
            process.terminate()
        for process in self._processes:
            process.wait(30)

    def executors(self):
        """How many executors each worker has been asked to start."""
        return [len(list((self._folder / f"work-{n}").glob("app-*/*"))) for n in range(self._workers)]

    def _start(self, main_class, *arguments):
        provide_java()
        tests = Path(__file__).parents[1]
        inherited = {name: value for name, value in os.environ.items() if name != FORK_SERVER}  # that of this process's sessions
        environment = {
            **inherited,
            "PYTHONPATH": os.pathsep.join([str(tests), str(tests.parent / "src")]),
            "PYSPARK_PYTHON": sys.executable,
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_DAEMON_MEMORY": "256m",
            "SPARK_NO_DAEMONIZE": "1",
        }
        command = [
            Path(pyspark.__file__).parent / "bin" / "spark-class",
            main_class,
            "--host",
            "127.0.0.1",
            "--webui-port",
            "0",
        ]
        log = (self._folder / f"{len(self._processes)}.log").open("wb")
        command += [*self._properties, *arguments]
        self._processes.append(subprocess.Popen(command, env=environment, stdout=log, stderr=log))

    def _wait_for(self, what, text, number=0):
        deadline = time.monotonic() + START_SECONDS
        log = self._folder / f"{number}.log"
        while text not in log.read_text(errors="replace"):
            if time.monotonic() > deadline or self._processes[number].poll() is not None:
                raise AssertionError(f"the cluster's {what} did not start:\n{log.read_text(errors='replace')[-3000:]}")
            time.sleep(0.1)
