"""A run with four lanes whose driver, workers, database and broker are on machines of their own, which fail."""

import random

import pytest

from support.campaign import PHASES
from support.every_scenario import only_with_all
from support.machines.cluster_campaign import ClusterCampaign, ClusterParts

LANES = 4
FEW = ("worker-killed", "broker-out-of-reach")
MORE = ("executor", "worker-cut-off", "driver-cut-off", "driver-cut-off-for-long", "driver-moved")
pytestmark = [pytest.mark.mysql, pytest.mark.kafka, pytest.mark.spark, pytest.mark.slow]


def test_every_change_comes_once_and_in_order_when_a_worker_is_killed_and_one_loses_the_broker(yard, tmp_path):
    struck(yard, tmp_path, FEW)


@only_with_all
def test_every_change_comes_once_and_in_order_whatever_is_cut_off(yard, tmp_path):
    struck(yard, tmp_path, MORE)


def struck(yard, folder, kinds):
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    chance = random.Random(seed)
    with ClusterCampaign(ClusterParts.on(yard, folder, seed, lanes=LANES)) as campaign:
        for kind in kinds:
            campaign.strike(kind, chance.choice(PHASES))
        campaign.finish()
    print(f"{campaign.journal.transactions} transactions, {campaign.folding.taken} records")
