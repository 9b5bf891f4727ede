"""Runs `tailrace run` as a command: starts it, inspects it, kills parts of it, and restarts it as a supervisor does.

The command is a driver in Python, its Java process, and below that Spark's Python processes: the planner's and the tasks'. All
are in one session of the operating system. They are found by that, even if their parents have ended.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil

from tailrace.connectors import connector_for
from tailrace.connectors.load import from_mapping
from tailrace.failpoints import VARIABLE
from tailrace.source.job import Job, Pace
from tailrace_standins.servers.child_process import dying_with_parent

ROOT = Path(__file__).parents[2]
TASK, PLANNER = "pyspark.worker", "pyspark.sql.streaming.python_streaming_source_runner"  # their main modules


class LiveRun:
    """One `tailrace run` after the other with the same arguments. `ports`: those that only a task is connected to."""

    task = TASK

    def __init__(self, folder, config, to, ports):
        self.starts = 0
        self._folder = folder
        self._config = config
        self._to = to
        self._ports = set(ports)
        self._process = None
        self._sessions = []

    def start(self, *options, failpoints=""):
        """Start the command; what it says goes to `run-N.log`."""
        self.starts += 1
        path = os.pathsep.join([str(ROOT / "src"), str(ROOT / "tests"), os.environ.get("PYTHONPATH", "")])
        environment = {**os.environ, "PYTHONPATH": path, VARIABLE: failpoints}
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(
                [*dying_with_parent(), *self._command(*options)],
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self._sessions.append(self._process.pid)

    def start_to_the_head(self):
        """Start what ends at the head of the log of this moment."""
        self.start("--available-now")

    @property
    def log(self):
        """Where the last start says what it has to say."""
        return self._folder / f"run-{self.starts}.log"

    def ended(self):
        """The exit code once the command has ended; None while it runs."""
        return self._process.poll()

    def task_pids(self):
        """The processes of tasks that are at work: those that read the log or deliver."""
        return [process.pid for process in self._all() if self._is_task(process)]

    def planner_pids(self):
        """The processes that plan: usually one."""
        return [process.pid for process in self._all() if self._is_planner(process)]

    def stand_still(self):
        """Suspend everything, as with a machine that sleeps, until `go_on`."""
        send([process.pid for process in self._all()], signal.SIGSTOP)

    def go_on(self):
        """End it."""
        send([process.pid for process in self._all()], signal.SIGCONT)

    def kill_all(self):
        """kill -9 of everything: driver, Java, Python."""
        deadline = time.monotonic() + 30
        while processes := self._all():
            for process in processes:
                with contextlib.suppress(psutil.NoSuchProcess):
                    process.kill()
            assert time.monotonic() < deadline, f"processes that can't be killed: {processes}"
            self._process.poll()
            time.sleep(0.02)
        self._process.wait()

    def kill_driver(self):
        """kill -9 of the driver's Python alone: Java and the tasks are left to find out."""
        self._process.kill()
        self._process.wait()

    def kill_java(self, seconds=60):
        """kill -9 of Java alone: the driver's Python finds out, and ends; its exit code."""
        send([process.pid for process in self._all() if process.name() == "java"], signal.SIGKILL)
        return self.wait(seconds)

    def stop(self, seconds=60):
        """SIGTERM, and wait for the end in good order; the exit code."""
        self.ask_to_stop()
        return self.wait(seconds)

    def ask_to_stop(self):
        """SIGTERM alone."""
        self._process.send_signal(signal.SIGTERM)

    def wait(self, seconds):
        return self._process.wait(seconds)

    def _command(self, *options):
        run = ["run", str(self._config), "--to", self._to, "--checkpoint", str(self._folder / "checkpoint")]
        return [sys.executable, "-m", "tailrace.cli.main", *run, *options]

    def _all(self):
        found = []
        for pid in psutil.pids():
            with contextlib.suppress(ProcessLookupError, PermissionError, psutil.NoSuchProcess):
                if os.getsid(pid) in self._sessions:
                    process = psutil.Process(pid)
                    if process.status() != psutil.STATUS_ZOMBIE:
                        found.append(process)
        return found

    def _is_task(self, process):
        with contextlib.suppress(psutil.NoSuchProcess, psutil.AccessDenied):
            if self.task not in process.cmdline():
                return False
            held = {
                c.raddr.port for c in process.net_connections("tcp") if c.raddr and c.status == psutil.CONN_ESTABLISHED
            }
            return bool(held & self._ports)
        return False

    def _is_planner(self, process):
        with contextlib.suppress(psutil.NoSuchProcess, psutil.AccessDenied):
            return PLANNER in process.cmdline()
        return False


class TaskRun(LiveRun):
    """The same with a task alone: no Spark, so it is there in a second or two."""

    task = str(ROOT / "tests" / "support" / "deliver_job.py")

    def start_to_the_head(self):
        until = self._folder / "until.json"
        until.write_text(json.dumps(connector_for(from_mapping(json.loads(self._config.read_text()))).head()))
        self.start(str(until))

    def stop(self, seconds=60):
        """A task knows no signals: it is killed, which is just as safe."""
        self.kill_all()
        return 0

    def _command(self, *options):
        job = self._folder / "job.json"
        if not job.exists():
            document = json.loads(self._config.read_text())
            pace = Pace(commit_at_head=True, slice_seconds=1e6, retry_seconds=0.3)
            job.write_text(Job(document=document, source=f"mysql {document['name']}", target=self._to, pace=pace).to_json())
        return [sys.executable, self.task, str(job), *options]


def send(pids, number):
    """A signal to each of the processes that is still there."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)
