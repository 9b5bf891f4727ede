"""One machine: an init process in namespaces of its own, and programs that run beside it."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import psutil

from support.machines.available import path
from support.machines.namespaces import PLACES
from tailrace.cache import cache_folder
from tailrace.starting.class_archive import FOLDER
from tailrace_standins.servers.child_process import dying_with_parent

ROOT = Path(__file__).parents[3]
MEGABYTES = 600  # of its /tmp, which has its home too
SET_UP = """
set -eu
# /tmp and the home of this machine: in memory, and nobody else sees them
seen=$(mktemp -d)
mount -t tmpfs -o size={megabytes}m tmpfs "$seen"
mkdir -p "$seen/upper" "$seen/work" "$seen/tmp" "$seen/home"
chmod 1777 "$seen/tmp"
# the installed programs, as an image has them: what is written to them stays here
for place in {installed}; do
  case $place in /tmp/*) under="$seen${{place}}" ;; {home}/*) under="$seen/home${{place#{home}}}" ;; *) under=$place ;; esac
  mkdir -p "$under" "$seen/upper$place" "$seen/work$place"
  mount -t overlay -o "lowerdir=$place,upperdir=$seen/upper$place,workdir=$seen/work$place,metacopy=on" overlay "$under"
done
mount --rbind "$seen/home" {home}
mount --rbind "$seen/tmp" /tmp
hostname {name}
printf '127.0.0.1 localhost\n{address} {name}\n' >/tmp/.hosts  # Java asks for the address of the machine's own name
mount --bind /tmp/.hosts /etc/hosts
exec {python} -S -c '{init}'
"""
INIT = """
import signal
signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel then reaps what is left to this process
print("ready", flush=True)
while True:
    signal.pause()
"""


class Machine:
    """Made running; `power_off` ends all that runs on it at once, `power_on` boots it with empty disks."""

    def __init__(self, name, address, namespace, folder, folders=()):
        self.name = name
        self.address = address
        self._namespace = namespace
        self._folder = folder
        self._folders = [*_installed(), *map(str, folders)]
        self._init = None
        self._programs = []
        self.boots = 0
        self.power_on()

    def power_on(self):
        self.boots += 1
        home = str(Path.home())
        script = SET_UP.format(
            megabytes=MEGABYTES,
            installed=" ".join(self._folders),
            home=home,
            name=self.name,
            address=self.address,
            python=sys.executable,
            init=INIT,
        )
        kinds = ["--mount", "--uts", "--ipc", "--pid", "--fork", "--kill-child", "--mount-proc"]
        enter = ["nsenter", f"--net={PLACES / self._namespace}"]
        command = [*dying_with_parent(), *enter, "unshare", *kinds, "sh", "-c", script]
        with self._log("boot") as log:
            self._init = subprocess.Popen(
                command, env=_environment(), cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, text=True
            )
        said = self._init.stdout.readline()
        assert said == "ready\n", f"machine {self.name} does not boot: {(self._folder / f'{self.name}-boot.log').read_text()}"

    def power_off(self):
        """As if the plug was pulled: nothing that runs on it can say or write anything any more."""
        if self._init is not None:
            for pid in self._inner():
                os.kill(pid, signal.SIGKILL)  # the kernel ends all processes of its namespace with it
            self._init.wait()
            self._init.stdout.close()
            self._init = None
        for program in self._programs:
            program.wait(30)
        self._programs.clear()

    def start(self, command, *, log, environment=None):
        """Start a program; what it says goes to `NAME-LOG.log`. The process given is a parent of it, and ends with it."""
        (target,) = self._inner()
        enter = ["nsenter", f"--target={target}", "--mount", "--uts", "--ipc", "--pid", "--net"]
        with self._log(log) as out:
            program = subprocess.Popen(
                [*dying_with_parent(), *enter, "--", *map(str, command)],
                env=_environment(environment),
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
            )
        self._programs.append(program)
        return program

    def processes(self):
        """The processes that run on it, as the host sees them."""
        found = []
        for parent in [*self._inner(), *(program.pid for program in self._programs if program.poll() is None)]:
            with suppress(psutil.NoSuchProcess):
                found += psutil.Process(parent).children(recursive=True)
        return [each for each in found if _runs(each)]

    def root(self, place):
        """A path on it, as the host sees it."""
        (target,) = self._inner()
        return Path(f"/proc/{target}/root{place}")

    def write(self, place, text):
        """Write a file on it."""
        self.root(place).write_text(text)

    def kill_all(self, seconds=30):
        """kill -9 of all that runs on it; the machine goes on."""
        deadline = time.monotonic() + seconds
        while running := self.processes():
            for process in running:
                with suppress(psutil.NoSuchProcess):
                    process.kill()
            assert time.monotonic() < deadline, f"processes that can't be killed: {running}"
            time.sleep(0.02)

    def log_file(self, name):
        """Where a program's words go, on the host."""
        return self._folder / f"{self.name}-{name}.log"

    def log(self, name):
        """What a program has said."""
        return self.log_file(name).read_text(errors="replace")

    def _inner(self):
        """The init process, as the host sees it."""
        if self._init is None or self._init.poll() is not None:
            return []
        return [child.pid for child in psutil.Process(self._init.pid).children()]

    def _log(self, name):
        return self.log_file(name).open("ab")


def send(program, number):
    """Send a signal to a program that `start` has started."""
    for child in psutil.Process(program.pid).children():
        child.send_signal(number)


def _runs(process):
    with suppress(psutil.NoSuchProcess):
        return process.status() != psutil.STATUS_ZOMBIE
    return False


def _environment(more=None):
    own = {name: value for name, value in os.environ.items() if not name.startswith(("PYSPARK_", "SPARK_"))}
    return {**own, "PATH": path(), **(more or {})}  # other tests of this process leave Spark's variables behind


def _installed():
    """Folders that every machine begins with: the checkout, Spark's classes, and Python and Java if they would be hidden."""
    wanted = [Path(sys.prefix), Path(sys.base_prefix), cache_folder() / FOLDER]
    if os.environ.get("JAVA_HOME"):
        wanted.append(Path(os.environ["JAVA_HOME"]))
    hidden = [place for place in wanted if any(place.is_relative_to(root) for root in (Path("/tmp"), Path.home()))]
    return [str(ROOT), *(str(place) for place in dict.fromkeys(hidden) if place.exists() and not place.is_relative_to(ROOT))]
