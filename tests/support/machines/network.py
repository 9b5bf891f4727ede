"""A switch and machines at it: what has an address, how slow the way to it is, who is cut off from whom."""

import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

from support.machines.available import run
from support.machines.machine import Machine
from support.machines.namespaces import Names, inside, sweep
from tailrace_standins.servers.child_process import dying_with_parent

PLACES = "198.18.0"  # for tests of networks (RFC 2544): nobody's own addresses
SLOW_WIRE = Path(__file__).with_name("slow_wire.py")


class Network:
    """Use it as a context; what programs say goes to files in `folder`. `machines` has them by name."""

    def __init__(self, folder):
        self._folder = folder
        self._places = {}
        self.machines = {}
        self._wires = []

    def __enter__(self):
        sweep()
        self._names = Names()
        try:
            self._switch = self._names.add("switch")
            self._link("add", "name", "switch", "type", "bridge")
            self._link("set", "dev", "switch", "up")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for machine in self.machines.values():
            machine.power_off()
        for wire in self._wires:
            wire.kill()
            wire.wait()
        self._names.close()

    def place(self, name, *, delay_ms=0):
        """Connect a place to the switch, with a delay each way if one is given; its address."""
        whole = self._names.add(name)
        address = f"{PLACES}.{len(self._places) + 1}"
        self._places[name] = (whole, address)
        if delay_ms:
            self._connect_slowly(whole, name, delay_ms)
        else:
            self._link("add", "name", name, "type", "veth", "peer", "name", "eth0", "netns", whole)
        run("ip", "-n", whole, "address", "add", f"{address}/24", "dev", "eth0")
        run("ip", "-n", whole, "link", "set", "eth0", "up")
        self._link("set", "dev", name, "master", "switch", "up")
        return address

    def machine(self, name, *, delay_ms=0, folders=()):
        """A place with a /tmp, home, host name and processes of its own; it also has these folders of the host."""
        address = self.place(name, delay_ms=delay_ms)
        machine = Machine(name, address, self.namespace(name), self._folder, folders)
        self.machines[name] = machine
        return machine

    def address(self, name):
        return self._places[name][1]

    def namespace(self, name):
        return self._places[name][0]

    @contextmanager
    def at(self, name):
        """This thread is there meanwhile, with the threads and processes that it starts."""
        with inside(self.namespace(name)):
            yield

    def cut(self, name):
        """Pull the plug: nothing comes to it or from it."""
        self._link("set", "dev", name, "nomaster")

    def mend(self, name):
        self._link("set", "dev", name, "master", "switch")

    def cut_between(self, *names):
        """These get nothing from one another, and all else still does."""
        for name in names:
            self._link("set", "dev", name, "type", "bridge_slave", "isolated", "on")

    def mend_between(self, *names):
        for name in names:
            self._link("set", "dev", name, "type", "bridge_slave", "isolated", "off")

    def _connect_slowly(self, whole, name, delay_ms):
        command = [sys.executable, str(SLOW_WIRE), whole, "eth0", self._switch, name, str(delay_ms)]
        wire = subprocess.Popen([*dying_with_parent(), *command], stdout=subprocess.PIPE, text=True)
        self._wires.append(wire)
        assert wire.stdout.readline() == "connected\n", "the slow wire did not start"

    def _link(self, *words):
        run("ip", "-n", self._switch, "link", *words)
