"""The same with 20 ms on each wire of a driver or worker, each way: 40 ms to the database and the broker and back."""

import random

import pytest

from support.campaign import PHASES
from support.every_scenario import only_with_all
from support.machines.available import require_machines
from support.machines.cluster_campaign import ClusterCampaign, ClusterParts
from support.machines.yard import Yard

DELAY_MS = 20
pytestmark = [pytest.mark.mysql, pytest.mark.kafka, pytest.mark.spark, pytest.mark.slow, only_with_all]


def test_every_change_comes_once_and_in_order_over_slow_wires(tmp_path):
    require_machines()
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    with Yard.made(tmp_path, delay_ms=DELAY_MS) as yard, ClusterCampaign(ClusterParts.on(yard, tmp_path, seed, lanes=4)) as campaign:
        for phase in PHASES:
            campaign.strike("executor", phase)
        campaign.finish()
    print(f"{campaign.journal.transactions} transactions, {campaign.folding.taken} records")
