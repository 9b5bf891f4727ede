"""The machines themselves: apart, cut off, slow, and gone when the run that made them is."""

import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress

import pytest

from support.machines.available import require_machines, run
from support.machines.namespaces import PLACES, sweep
from support.machines.network import Network
from tailrace_standins.servers.waiting import wait_until

pytestmark = pytest.mark.long
PORT = 7000
WAIT = 20
ECHO = f"""
import socket
server = socket.create_server(("0.0.0.0", {PORT}))
print("listening", flush=True)
while True:
    peer, _ = server.accept()
    peer.sendall(peer.recv(100))
    peer.close()
"""
CRASHING = """
import os, signal, sys, tempfile
from pathlib import Path
from support.machines.network import Network
with Network(Path(tempfile.mkdtemp())) as network:
    network.machine("left").start(["sleep", "1000"], log="sleep")
    print(network.namespace("left"), flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture(scope="module")
def network(tmp_path_factory):
    require_machines()
    with Network(tmp_path_factory.mktemp("network")) as network:
        network.place("test")
        for name in ("a", "b"):
            network.machine(name)
        network.machine("far", delay_ms=20)
        yield network


@pytest.fixture
def machines(network):
    """Both with a server; after the test they boot anew."""
    machines = [network.machines["a"], network.machines["b"]]
    for machine in machines:
        machine.start([sys.executable, "-c", ECHO], log="echo")
        wait_until(lambda m=machine: m.log("echo").count("listening") == m.boots, WAIT, lambda m=machine: m.log("echo"))
    yield machines
    for machine in machines:
        machine.power_off()
        machine.power_on()


def answers(network, machine, seconds=1.0):
    """Whether the server on a machine answers the test."""
    with network.at("test"), suppress(OSError), socket.create_connection((machine.address, PORT), timeout=seconds) as to:
        to.sendall(b"hello")
        return to.recv(100) == b"hello"
    return False


def test_machines_have_a_tmp_a_home_and_a_name_of_their_own(machines):
    machines[0].write("/tmp/only-here", "x")
    said = []
    for machine in machines:
        machine.start(["sh", "-c", "hostname; ls /tmp; ls -A ~; ls /tmp/only-here"], log="look").wait(WAIT)
        said.append(machine.log("look"))
    assert said[0].splitlines()[0] == "a"
    assert said[1].splitlines()[0] == "b"
    assert "only-here" in said[0]
    assert "No such file" in said[1]


def test_the_checkout_is_installed_and_what_is_written_to_it_stays_on_the_machine(machines):
    package = "import tailrace, pathlib; p = pathlib.Path(tailrace.__file__).with_name('written'); p.write_text('x'); print(p)"
    machines[0].start([sys.executable, "-c", package], log="write").wait(WAIT)
    path = machines[0].log("write").strip()
    assert path.endswith("/tailrace/written")
    assert not os.path.exists(path)  # noqa: PTH110


def test_a_machine_that_is_cut_off_gets_nothing_and_comes_back(network, machines):
    assert all(answers(network, machine) for machine in machines)
    network.cut("a")
    assert [answers(network, machine) for machine in machines] == [False, True]
    network.mend("a")
    wait_until(lambda: answers(network, machines[0]), WAIT, lambda: "a does not come back")


def test_two_can_be_cut_off_from_one_another_alone(network, machines):
    network.cut_between("a", "test")
    assert [answers(network, machine) for machine in machines] == [False, True]
    network.mend_between("a", "test")
    wait_until(lambda: answers(network, machines[0]), WAIT, lambda: "a does not come back")


def test_a_machine_without_power_runs_nothing(network, machines):
    running = machines[0].processes()
    assert running
    machines[0].power_off()
    assert not any(each.is_running() for each in running)
    assert not answers(network, machines[0])


def test_a_slow_wire_takes_its_time_each_way(network):
    far = network.machines["far"]
    far.start([sys.executable, "-c", ECHO], log="echo")
    wait_until(lambda: "listening" in far.log("echo"), WAIT, lambda: far.log("echo"))
    assert answers(network, far, seconds=WAIT)  # after this each knows where the other is
    began = time.monotonic()
    assert answers(network, far, seconds=WAIT)
    assert time.monotonic() - began >= 0.08  # to and fro, for the connection and for the answer


def test_what_a_killed_run_has_left_is_swept(network):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    killed = subprocess.run([sys.executable, "-c", CRASHING], env=environment, capture_output=True, text=True, check=False)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    name = killed.stdout.strip()
    assert (PLACES / name).exists()
    assert name in sweep()
    assert not (PLACES / name).exists()
    assert network.namespace("a") in run("ip", "netns", "list")  # this run is alive
