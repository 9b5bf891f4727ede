"""What machines on one machine need, and whether it is here."""

import os
import shutil
import subprocess
import sys
import uuid
from functools import cache

import pytest

PROGRAMS = ("ip", "unshare", "nsenter", "setpriv", "mount", "sh")
SYSTEM = "/usr/sbin:/sbin"  # of root's path; not every test run has it
NO_MACHINES = "no machines of their own: "  # begins the reason of a skip; the summary of a run counts these
PREFIX = "tailrace-"  # of every namespace that is made here


def path():
    """PATH with the folders of the system's own programs."""
    return f"{os.environ.get('PATH', '')}:{SYSTEM}"


def run(*command):
    """Run a program of the system; its output. Raises `RuntimeError` with what it says if it fails."""
    done = subprocess.run(command, env={**os.environ, "PATH": path()}, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip() or done.returncode}")
    return done.stdout


def require_machines():
    """Skip the test, with the reason, where machines can't be made."""
    if missing():
        pytest.skip(f"{NO_MACHINES}{missing()}")


@cache
def missing():
    """What is missing here, in one sentence; empty if machines can be made."""
    if sys.platform != "linux":
        return f"network namespaces are Linux's, and this is {sys.platform}"
    if os.geteuid() != 0:
        return "network namespaces need root, and this is another user"
    absent = [name for name in PROGRAMS if shutil.which(name, path=path()) is None]
    if absent:
        return f"not installed: {', '.join(absent)} (packages iproute2, util-linux)"
    return _refused()


def _refused():
    name = f"{PREFIX}{uuid.uuid4().hex[:8]}-probe"
    try:
        run("ip", "netns", "add", name)
    except RuntimeError as error:  # a container without CAP_SYS_ADMIN
        return f"the kernel makes no network namespace: {error}"
    try:
        run("ip", "-n", name, "link", "add", "name", "switch", "type", "bridge")
        run("ip", "-n", name, "link", "add", "name", "port", "type", "veth", "peer", "name", "eth0")
        run("unshare", "--mount", "--uts", "--pid", "--fork", "--mount-proc", "true")
    except RuntimeError as error:
        return f"the kernel makes no switch, wires or mount namespaces: {error}"
    finally:
        run("ip", "netns", "del", name)
    return ""
