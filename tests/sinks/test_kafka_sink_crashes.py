"""The Kafka sink under kill -9 at every failpoint: the next owner goes on, and readers see each record once."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from support.every_scenario import EVERY, only_with_all
from support.kafka_sinks import Place
from tailrace.failpoints import NAMES

TESTS = Path(__file__).parents[1]
SINK_NAMES = [name for name in NAMES if name.startswith("sink.")]
AROUND_A_COMMIT = {"sink.before-commit", "sink.after-commit"}
KILLS = 12 if EVERY else 5

pytestmark = pytest.mark.kafka


@pytest.fixture
def place(kafka_broker):
    place = Place(kafka_broker.address)
    place.claimed()
    yield place
    place.close()


def start(place, until, failpoint="", guarantee="exactly-once"):
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(TESTS), *sys.path]),
        "TAILRACE_FAILPOINTS": failpoint,
    }
    script = TESTS / "support" / "deliver_numbers.py"
    command = [sys.executable, str(script), place.address, place.prefix, str(until), guarantee]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(process):
    _, said = process.communicate(timeout=120)
    return process.returncode, said


@only_with_all  # test_failpoints_into_kafka.py in tests/crash has all of them
@pytest.mark.parametrize("name", SINK_NAMES)
def test_a_task_killed_anywhere_leaves_each_record_once(place, name):
    turn = 1 if name == "sink.opened" else 2
    assert finish(start(place, 30, f"{name}=kill@{turn}"))[0] == -signal.SIGKILL
    assert finish(start(place, 30)) == (0, "")
    place.sees(list(range(30)))


@pytest.mark.parametrize(
    "name", [name if name in AROUND_A_COMMIT else pytest.param(name, marks=only_with_all) for name in SINK_NAMES]
)
def test_with_at_least_once_nothing_is_lost(place, name):
    turn = 1 if name == "sink.opened" else 2
    code, _ = finish(start(place, 30, f"{name}=kill@{turn}", "at-least-once"))
    assert code == -signal.SIGKILL
    assert finish(start(place, 30, guarantee="at-least-once")) == (0, "")
    assert set(place.ids()) == set(range(30))


@pytest.mark.slow
def test_each_record_is_there_once_however_often_the_task_is_killed(place):
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    chance = random.Random(seed)
    for attempt in range(KILLS):
        process = start(place, 30_000)
        assert process.stdout.readline() == "opened\n"
        time.sleep(chance.uniform(0, 0.5 + 2 * attempt / KILLS))  # a moment to be killed at, not something to wait for
        process.kill()
        process.communicate()
        seen = place.ids()
        assert len(seen) == len(set(seen)), "a reader saw a record twice"
    place.opened().close()  # ends the last transaction
    done = len(place.ids())
    assert finish(start(place, done + 30)) == (0, "")
    place.sees(range(done + 30))
    assert done > 0
