"""The fork server: what it forks is as a Python of its own would be, and ends when its client, the server or the owner does."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from tailrace.cli.worker_python import worker_python
from tailrace.starting.fork_server import SOCKET
from tailrace.starting.fork_server_owner import ForkServer

pytestmark = [pytest.mark.long, pytest.mark.skipif(sys.platform != "linux", reason="there is a fork server on Linux only")]
PRELOADED = "fractions"
SHOW = f"""
import json, os, sys, threading
shown = dict(path=sys.path, argv=sys.argv, name=__name__, variable=os.environ.get("MINE"), folder=os.getcwd(),
             preloaded={PRELOADED!r} in sys.modules, open=sorted(map(int, os.listdir("/proc/self/fd")))[:-1], parent=os.getppid(),
             words=open("/proc/self/cmdline").read().rstrip(chr(0)).split(chr(0)), inherited=[os.environ.get({SOCKET!r})])
print(json.dumps(shown))
print("to standard error", file=sys.stderr)
"""
WAITS = "import os, time\nprint(os.getpid(), flush=True)\ntime.sleep(100)"
DIES = "import os, signal\nos.kill(os.getpid(), signal.SIGTERM)"
FAILS = "1 / 0"
EXITS = "import sys\nsys.exit(7)"
AT_EXIT = """
import atexit, threading, time
def later():
    time.sleep(0.2)
    print("thread", flush=True)
threading.Thread(target=later).start()
atexit.register(print, "at exit")
"""


@pytest.fixture(scope="module")
def modules(tmp_path_factory):
    folder = tmp_path_factory.mktemp("modules")
    texts = {"shows": SHOW, "waits": WAITS, "dies": DIES, "fails": FAILS, "exits": EXITS, "at_exit": AT_EXIT}
    for name, text in texts.items():
        (folder / f"{name}_here.py").write_text(text)
    return folder


@pytest.fixture(scope="module")
def server():
    made = ForkServer()
    made.spawn([PRELOADED])
    yield made
    made.close()


@pytest.fixture
def asking(server, modules, tmp_path):
    """Starts what Spark would start."""
    started = []

    def ask(name, **more):
        env = os.environ | {"PYTHONPATH": str(modules), SOCKET: str(server.path), "MINE": "of the client"} | more
        command = [worker_python(), "-m", f"{name}_here"]
        process = subprocess.Popen(
            command, env=env, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.PIPE, text=True
        )
        started.append(process)
        return process

    yield ask
    for process in started:
        process.kill()
        process.wait()


def until(condition):
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def has_ended(pid):
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def test_a_forked_process_has_its_clients_streams_environment_folder_and_path(asking, server, modules, tmp_path):
    client = asking("shows")
    out, err = client.communicate(timeout=30)
    shown = json.loads(out)
    assert (client.returncode, err) == (0, "to standard error\n")
    assert shown["preloaded"]
    assert shown["parent"] == server._process.pid
    assert (shown["name"], shown["variable"], shown["folder"]) == ("__main__", "of the client", str(tmp_path))
    assert shown["path"][:2] == [str(tmp_path), str(modules)]
    assert shown["argv"] == [str(modules / "shows_here.py")]
    assert shown["open"] == [0, 1, 2]
    assert shown["words"] == [sys.executable, "-m", "shows_here"]
    assert shown["inherited"] == [None]


def test_nothing_but_the_owner_goes_by_its_name(asking, server):
    """Who ends `tailrace` by its name means the owner, which ends the others in good order."""
    made = psutil.Process(server._process.pid)
    assert (made.name(), made.cmdline()[0]) == ("tailrace-forks", "tailrace-forks")
    client = asking("waits")
    forked = psutil.Process(int(client.stdout.readline()))
    assert forked.name() == Path(sys.executable).name[:15]
    client.kill()


def test_without_a_server_it_is_a_python_of_its_own(asking, tmp_path):
    nobody = ForkServer()
    nobody._let_go()  # as where the process that is to serve ends before it does
    for place in (str(nobody.path), str(tmp_path / "nothing")):
        client = asking("shows", **{SOCKET: place})
        out, _ = client.communicate(timeout=30)
        shown = json.loads(out)
        assert (client.returncode, shown["preloaded"], shown["parent"]) == (0, False, os.getpid())
        assert shown["words"][1:] == ["-m", "shows_here"]


@pytest.mark.parametrize(("name", "code", "said"), [("exits", 7, ""), ("fails", 1, "ZeroDivisionError"), ("dies", 241, "")])
def test_its_end_is_the_clients(asking, name, code, said):
    client = asking(name)
    _, err = client.communicate(timeout=30)
    assert client.returncode == code
    assert said in err


def test_it_ends_as_a_python_does(asking):
    out, _ = asking("at_exit").communicate(timeout=30)
    assert out == "thread\nat exit\n"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_when_the_client_is_killed_so_is_the_process(asking, number):
    client = asking("waits")
    pid = int(client.stdout.readline())
    client.send_signal(number)
    until(lambda: has_ended(pid))


def test_many_at_once_are_told_apart(asking):
    waiting = [asking("waits") for _ in range(5)]
    pids = [int(each.stdout.readline()) for each in waiting]
    assert asking("exits").wait(30) == 7
    waiting[2].kill()
    until(lambda: has_ended(pids[2]))
    assert not any(has_ended(pid) for number, pid in enumerate(pids) if number != 2)


def test_when_the_server_is_killed_so_are_its_processes(asking):
    other = ForkServer()
    other.spawn([])
    client = asking("waits", **{SOCKET: str(other.path)})
    pid = int(client.stdout.readline())
    other._process.kill()
    until(lambda: has_ended(pid))
    assert client.wait(20) == 1
    other.close()
    assert asking("exits", **{SOCKET: str(other.path)}).wait(30) == 7  # and Spark goes on without it


OWNER = """
import os, sys, threading
from tailrace.starting.fork_server_owner import ForkServer
server = ForkServer()
server.fork()
print(server.path, flush=True)
sys.stdin.read()
os._exit(0)
"""


@pytest.mark.parametrize("end", ["closes", "killed"])
def test_a_server_forked_out_of_its_owner_ends_with_it_however_that_ends(asking, end):
    owner = subprocess.Popen([sys.executable, "-c", OWNER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    path = Path(owner.stdout.readline().strip())
    client = asking("waits", **{SOCKET: str(path)})
    pid = int(client.stdout.readline())
    server = psutil.Process(pid).ppid()
    assert psutil.Process(server).ppid() == owner.pid
    if end == "closes":
        owner.stdin.close()
    else:
        owner.kill()
    until(lambda: has_ended(pid) and has_ended(server))
    assert owner.stdout.read() == ""  # the server has not kept it open
    until(lambda: not path.parent.exists())
    owner.wait()


def test_a_process_with_threads_is_not_forked(asking):
    threads = OWNER.replace("server.fork()", "threading.Thread(target=threading.Event().wait, daemon=True).start()\nserver.fork()")
    owner = subprocess.Popen([sys.executable, "-c", threads], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    path = Path(owner.stdout.readline().strip())
    assert not path.exists()
    assert psutil.Process(owner.pid).children() == []
    owner.communicate("")


def test_whoever_has_no_right_to_the_folder_can_not_ask(server):
    assert oct(server.path.parent.stat().st_mode & 0o777) == "0o700"


@pytest.mark.parametrize("sent", [b"", b"abc", (9).to_bytes(4, "little") + b"half", (3).to_bytes(4, "little") + b"abc"])
def test_what_is_no_request_disturbs_nobody(asking, server, sent):
    waiting = asking("waits")
    waiting.stdout.readline()
    with socket.socket(socket.AF_UNIX) as other:
        other.connect(str(server.path))
        other.sendall(sent)
    assert asking("exits").wait(30) == 7
    assert waiting.poll() is None
