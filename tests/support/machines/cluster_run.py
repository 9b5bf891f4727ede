"""`tailrace run` on a machine of a yard, with its tasks on the workers; in the shape of `support.live_run.LiveRun`."""

import signal
import sys
import uuid
from contextlib import suppress
from pathlib import Path

import psutil

from support.live_run import PLANNER
from support.machines.machine import send
from support.machines.spark import PROPERTIES, SECRET, tasks
from support.machines.yard import TIMEOUT_SECONDS

REMOTE, INODE = 2, 9  # columns of /proc/PID/net/tcp
CONFIG = "/tmp/connector.json"
SPARK = {
    "spark.executor.memory": "512m",
    "spark.executor.extraJavaOptions": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
    "spark.network.timeout": f"{TIMEOUT_SECONDS}s",
    "spark.network.timeoutInterval": "5s",
    "spark.executor.heartbeatInterval": "3s",
}


class ClusterRun:
    """One `tailrace run` after the other with the same arguments, on the yard's first driver until `move`."""

    def __init__(self, yard, folder, config, to, ports):
        self.starts = 0
        self.machine = yard.drivers[0]
        self._yard = yard
        self._folder = folder
        self._config = config
        self._to = to
        self._ports = set(ports)
        self._checkpoint = f"/tmp/checkpoint-{uuid.uuid4().hex}"  # the machines are those of other tests too
        self._program = None

    def move(self, machine):
        """Later starts are on another machine."""
        self.machine = machine

    def start(self, *options, failpoints=""):
        """Start the command; what it says goes to a log of its own."""
        assert not failpoints, "failpoints are for a run on one machine"
        self.starts += 1
        self.machine.write(CONFIG, Path(self._config).read_text())
        self.machine.write(PROPERTIES, SECRET)
        self._program = self.machine.start(self._command(*options), log=f"run-{self.starts}")

    def start_to_the_head(self):
        self.start("--available-now")

    @property
    def log(self):
        return self.machine.log_file(f"run-{self.starts}")

    def ended(self):
        """The exit code once the command has ended; None while it runs."""
        return self._program.poll()

    def task_pids(self):
        """The processes on workers that have a connection to the database or the broker."""
        return [each.pid for worker in self._yard.workers for each in tasks(worker) if self._is_connected(each)]

    def busy_workers(self):
        """The workers that have such a process."""
        return [worker for worker in self._yard.workers if any(map(self._is_connected, tasks(worker)))]

    def planner_pids(self):
        found = []
        for process in self.machine.processes():
            with suppress(psutil.NoSuchProcess):
                if PLANNER in process.cmdline():
                    found.append(process.pid)
        return found

    def kill_all(self):
        """kill -9 of everything on the driver's machine; the connections are reset."""
        self.machine.kill_all()
        if self._program is not None:
            self._program.wait(30)

    def stop(self, seconds=60):
        """SIGTERM, and wait for the end in good order; the exit code."""
        send(self._program, signal.SIGTERM)
        return self.wait(seconds)

    def wait(self, seconds):
        return self._program.wait(seconds)

    def _command(self, *options):
        run = ["run", CONFIG, "--to", self._to, "--checkpoint", self._checkpoint, "--master", self._yard.spark.url]
        where = ["--properties-file", PROPERTIES]
        settings = [word for name, value in SPARK.items() for word in ("--conf", f"{name}={value}")]
        return [sys.executable, "-m", "tailrace.cli.main", *run, *where, *settings, *options]

    def _is_connected(self, process):
        """Looked up in the process's own network namespace; psutil looks in ours."""
        with suppress(FileNotFoundError, ProcessLookupError):
            held = {str(each.readlink()) for each in Path(f"/proc/{process.pid}/fd").iterdir()}
            lines = [line.split() for line in Path(f"/proc/{process.pid}/net/tcp").read_text().splitlines()[1:]]
            return any(
                int(line[REMOTE].rpartition(":")[2], 16) in self._ports and f"socket:[{line[INODE]}]" in held for line in lines
            )
        return False
