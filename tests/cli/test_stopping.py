"""A running job and signals, as a terminal or a service manager sends them."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from support.counting_log import counting_job, delivered
from tailrace.source.job import Pace
from tailrace_standins.servers.waiting import wait_until

pytestmark = [pytest.mark.spark, pytest.mark.slow]
TESTS = Path(__file__).parents[1]
CHANGES = 7000


@pytest.fixture
def running(tmp_path):
    """Starts a job over a log that takes a while to read; gives the process once it has delivered something."""
    job = counting_job(tmp_path, CHANGES, pace=Pace(commit_seconds=0.2), document={"pause_seconds": 0.05})
    (tmp_path / "job.json").write_text(job.to_json())
    started = []

    def start(*options):
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), str(TESTS.parent / "src")])}
        command = [
            sys.executable,
            str(TESTS / "support" / "run_counting_log.py"),
            str(tmp_path / "job.json"),
            str(tmp_path / "checkpoint"),
        ]
        process = subprocess.Popen([*command, *options], env=environment, stderr=subprocess.PIPE, text=True)
        started.append(process)
        already = len(delivered(tmp_path))
        poll(lambda: len(delivered(tmp_path)) > already or process.poll() is not None)
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()


def poll(condition, seconds=120):
    wait_until(condition, seconds, lambda: "nothing happened")


@pytest.mark.parametrize(("number", "options"), [(signal.SIGINT, ()), (signal.SIGTERM, ("--available-now",))])
def test_a_signal_ends_it_in_good_order_and_the_next_run_goes_on(running, tmp_path, number, options):
    process = running(*options)
    process.send_signal(number)
    _, told = process.communicate(timeout=60)
    assert (process.returncode, "Traceback" in told) == (0, False)
    assert told.splitlines()[-1].startswith("stopped: ")
    held = delivered(tmp_path)
    assert held == list(range(len(held)))
    assert 0 < len(held) < CHANGES


def test_a_killed_driver_takes_its_tasks_with_it(running, tmp_path):
    process = running()
    process.kill()
    process.wait()
    owner = json.loads((tmp_path / "out/_tailrace/lane-0/owner.json").read_text())["pid"]
    poll(lambda: not Path(f"/proc/{owner}").exists() or _is_idle(tmp_path), seconds=30)
    held = delivered(tmp_path)
    assert held == list(range(len(held)))


def test_a_killed_java_process_is_told_as_what_it_is_and_the_next_run_goes_on(running, tmp_path):
    process = running()
    os.kill(java_of(process.pid), signal.SIGKILL)
    _, told = process.communicate(timeout=60)
    assert process.returncode == 8
    assert "Traceback" not in told
    assert "Spark's Java process has ended by SIGKILL" in told.splitlines()[-1]
    held = delivered(tmp_path)
    assert held == list(range(len(held)))
    following = running()
    poll(lambda: len(delivered(tmp_path)) > len(held))
    following.kill()
    held = delivered(tmp_path)
    assert held == list(range(len(held)))


def java_of(pid):
    """The Java process that a process has started, maybe by way of a shell."""
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            if Path(f"/proc/{child}/comm").read_text().strip() == "java":
                return int(child)
            if found := java_of(child):
                return found
    return None


def _is_idle(tmp_path):
    """Whether nothing is delivered for a while, though there is enough to do."""
    before = len(delivered(tmp_path))
    time.sleep(1)
    return len(delivered(tmp_path)) == before < CHANGES
