"""Blows on a `tailrace run` into Kafka, and on a task alone: nothing is lost, double, out of order or wrong.

One blow of each kind falls, or so many in all as `TAILRACE_TEST_BLOWS` says. `bench/soak.py` deals two hundred of them and more;
what a campaign is stands in `support/campaign.py`.
"""

import os
import random

import pytest

from support.campaign import SHORT_TRANSACTION, Campaign, Parts, dealt
from support.every_scenario import only_with_all
from support.live_run import TaskRun

BLOWS = int(os.environ.get("TAILRACE_TEST_BLOWS", "0"))
OF_COMMAND = ("task", "planner", "driver", "driver-alone", "broker", "mysql-cut", "broker-cut")
OF_TASK = ("task", "broker", "mysql-cut", "mysql-silence", "broker-cut", "broker-silence", "freeze", "failpoint")
pytestmark = [pytest.mark.mysql, pytest.mark.kafka, pytest.mark.slow]


@pytest.mark.spark
def test_blows_on_a_running_command_leave_every_change_once_and_in_order(mysql_minimal, tmp_path):
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    with Parts.made(mysql_minimal, tmp_path, seed) as parts, Campaign(parts) as campaign:
        strike(campaign, OF_COMMAND, seed)


@only_with_all
def test_blows_on_a_task_alone_leave_every_change_once_and_in_order(mysql_server, tmp_path):
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    made = Parts.made(mysql_server, tmp_path, seed, transaction_seconds=SHORT_TRANSACTION, runner=TaskRun)
    with made as parts, Campaign(parts) as campaign:
        strike(campaign, OF_TASK, seed)


def strike(campaign, kinds, seed):
    for kind, phase in dealt(BLOWS or len(kinds), random.Random(seed), kinds):
        campaign.strike(kind, phase)
    campaign.finish()
    print(f"{campaign.journal.transactions} transactions, {campaign.folding.taken} records")
