"""A crash campaign on a yard: machines are switched off, cut off, and come back.

`support.campaign` writes, follows, folds and compares; here is what strikes, and what must be true while a machine is away.
"""

import signal
import time
from dataclasses import dataclass
from functools import partial

from support.campaign import Campaign, Parts
from support.live_run import send
from support.machines.cluster_run import ClusterRun
from support.machines.spark import executors, tasks
from support.machines.yard import TIMEOUT_SECONDS, Yard

SHORT_SECONDS = 20  # below all timeouts but Spark's own
LONG_SECONDS = TIMEOUT_SECONDS + 25  # executors are looked at every 5 s, and a task elsewhere has to begin


@dataclass
class ClusterParts(Parts):
    """The parts on a yard; `proxies` are the servers themselves, as whole machines are cut off here."""

    yard: Yard | None = None

    @classmethod
    def on(cls, yard, folder, seed, *, lanes):
        return cls(
            server=yard.mysql,
            broker=yard.broker,
            broker_proxy=yard.broker,
            mysql_proxy=yard.mysql,
            folder=folder,
            seed=seed,
            lanes=lanes,
            runner=partial(ClusterRun, yard),
            yard=yard,
        )


class ClusterCampaign(Campaign):
    """`strike(kind, phase)` with the kinds below."""

    patience = 600  # a driver, two executors and all their Python processes start on one machine that has other work

    def _strike_worker_killed(self, blow):
        """kill -9 of everything that runs on a worker; then it boots anew."""
        worker = self._busy_worker(blow)
        worker.power_off()
        now = time.time()
        worker.power_on()
        self._yard.spark.start_worker(worker)
        return now

    def _strike_executor(self, blow):
        worker = self._busy_worker(blow)
        send([each.pid for each in executors(worker)], signal.SIGKILL)
        return time.time()

    def _strike_broker_out_of_reach(self, blow):
        """A worker gets nothing from the broker for a while; Spark notices nothing."""
        worker = self._busy_worker(blow)
        self._yard.network.cut_between(worker.name, "kafka")
        self._pass(SHORT_SECONDS)
        self._yard.network.mend_between(worker.name, "kafka")
        return time.time()

    def _strike_worker_cut_off(self, blow):
        """A worker is cut off from all for so long that its lanes go on elsewhere: what still runs on it are zombies."""
        worker = self._busy_worker(blow)
        running = {each.pid for each in tasks(worker)}
        began = time.time()
        self._yard.network.cut(worker.name)
        self._pass(LONG_SECONDS)
        zombies = running & {each.pid for each in tasks(worker)}
        self._require(bool(zombies), "no task was left on the worker that was cut off: nothing was to be fenced")
        self._wait(lambda: self._all_have_committed(began + LONG_SECONDS), "not all lanes go on while a worker is cut off")
        left = zombies & {each.pid for each in tasks(worker)}
        self._yard.network.mend(worker.name)
        blow.detail += f", {len(left)} of {len(zombies)} zombies left when it is back"
        return time.time()

    def _strike_driver_cut_off(self, blow):
        return self._cut_driver(SHORT_SECONDS)

    def _strike_driver_cut_off_for_long(self, blow):
        """For so long that Spark's master gives the application up: the command ends, and is started again."""
        return self._cut_driver(2 * LONG_SECONDS)

    def _strike_driver_moved(self, blow):
        """The driver's machine is unplugged, and a run on another one takes over; it shares nothing with the first."""
        old, new = self._run.machine, next(m for m in self._yard.drivers if m is not self._run.machine)
        self._yard.network.cut(old.name)
        old.power_off()
        self._run.move(new)
        now = time.time()
        self._run.start()
        self._yard.network.mend(old.name)
        old.power_on()
        return now

    def _all_have_committed(self, since):
        return all(commit.at_ms > since * 1000 for commit in dict(self._follower.commits).values())

    def _cut_driver(self, seconds):
        name = self._run.machine.name
        self._yard.network.cut(name)
        self._pass(seconds)
        self._yard.network.mend(name)
        return time.time()

    @property
    def _yard(self):
        return self._parts.yard

    def _busy_worker(self, blow):
        busy = []
        self._wait(lambda: busy.extend(self._run.busy_workers()) or busy, "no worker has a task at work", restart=True)
        worker = self._chance.choice(busy)
        blow.detail = worker.name
        return worker

    def _pass(self, seconds):
        """So much time, while what arrives is looked at."""
        until = time.monotonic() + seconds
        self._wait(lambda: time.monotonic() >= until, "time does not pass", seconds + 60)
